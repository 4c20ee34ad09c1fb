// The list of operations: complete, consistent, and the one of the contract.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditActions, isAtLeast } from './account.ts';
import { attributeOperations } from './attribute-operations.ts';
import { contactOperations } from './contact-operations.ts';
import { type ErrorCode, errorCodes } from './errors.ts';
import { eventOperations } from './event-operations.ts';
import {
  type Credential,
  errorsOf,
  mediaTypes,
  namesUnknown,
  type Operation,
  operatorCredentials,
  parametersOf,
  pathParameters,
  portCredentials,
  roleOf,
} from './operation.ts';
import { operations, operationsFor } from './operations.ts';
import { operatorAccountNames } from './operator-account-operations.ts';
import { segmentOperations } from './segment-operations.ts';
import { webhookOperations } from './webhook-operations.ts';

const all: readonly Operation[] = Object.values(operations);

test('the operations under /v1 are those of the contract, with its success statuses', () => {
  const bot = '/v1/bots/{botId}';
  const expected = [
    `PUT ${bot}/contacts 201`,
    `PATCH ${bot}/contacts 200`,
    `POST ${bot}/contacts 200`,
    `GET ${bot}/contacts 200`,
    `GET ${bot}/events 200`,
    `GET ${bot}/contacts/{contactId} 200`,
    `PATCH ${bot}/contacts/{contactId} 200`,
    `DELETE ${bot}/contacts/{contactId} 204`,
    `POST ${bot}/contacts/delete 200`,
    `GET ${bot}/export 200`,
    `PUT ${bot}/attributes/{key} 201`,
    `GET ${bot}/attributes 200`,
    `GET ${bot}/attributes/{key} 200`,
    `DELETE ${bot}/attributes/{key} 204`,
    `GET ${bot}/tags 200`,
    `PATCH ${bot}/tags/{tag} 200`,
    `DELETE ${bot}/tags/{tag} 204`,
    `PUT ${bot}/segments/{key} 201`,
    `GET ${bot}/segments 200`,
    `GET ${bot}/segments/{key} 200`,
    `DELETE ${bot}/segments/{key} 204`,
    `POST ${bot}/webhooks 201`,
    `GET ${bot}/webhooks 200`,
    `GET ${bot}/webhooks/{webhookId} 200`,
    `PATCH ${bot}/webhooks/{webhookId} 200`,
    `DELETE ${bot}/webhooks/{webhookId} 204`,
    `POST ${bot}/webhooks/{webhookId}/rotate 200`,
    `POST ${bot}/webhooks/{webhookId}/test 200`,
    `GET ${bot}/webhooks/{webhookId}/deliveries 200`,
    `GET ${bot}/webhooks/{webhookId}/deliveries/{eventId} 200`,
    `POST ${bot}/webhooks/{webhookId}/deliveries/{eventId}/retry 202`,
    `POST ${bot}/webhooks/{webhookId}/deliveries/retry-failed 202`,
    `POST ${bot}/webhooks/{webhookId}/deliveries/{eventId}/skip 200`,
    `POST ${bot}/webhooks/{webhookId}/replay 202`,
    `POST ${bot}/auth/contact 200`,
    `PUT ${bot}/auth/contacts 200`,
    `POST ${bot}/auth/contacts 200`,
    `DELETE ${bot}/auth/contacts/{token} 204`,
    `GET ${bot}/auth/contact 200`,
    `GET ${bot}/widget 200`,
  ];
  const listed = all
    .filter(({ path }) => path.startsWith(bot))
    .map(({ method, path, answer }) => `${method} ${path} ${answer.status}`);
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});

test('members reach contacts, attributes, tags, segments, events and webhooks by the operations of the organization’s server, under the account’s paths', () => {
  for (const operation of Object.values<Operation>({
    ...contactOperations,
    ...attributeOperations,
    ...segmentOperations,
    ...eventOperations,
    ...webhookOperations,
  })) {
    const twin = all.find(({ id }) => id === `account.${operation.id}`);
    assert.ok(twin, operation.id);
    const { id: _, path, credentials, audit: _audit, role: _role, needsRecentPassword: _recent, ...others } = twin;
    const { roleToInclude: _include, settingForMembers: _setting, errors, ...rest } = others;
    const own = errors?.filter((code) => code !== 'password_required');
    assert.deepEqual(own, operation.errors ?? (errors && []), operation.id);
    assert.deepEqual([path, ...credentials], [operation.path.replace('/v1/', '/v1/account/'), 'session']);
    const { query, answer, ...same } = rest;
    for (const [name, value] of Object.entries(same)) assert.equal(value, operation[name as keyof Operation], name);
    assert.deepEqual(Object.keys(query?.shape ?? {}), Object.keys(operation.query?.shape ?? {}), operation.id);
    assert.deepEqual({ ...answer, schema: undefined }, { ...operation.answer, schema: undefined }, operation.id);
  }
});

test('members can ask when a contact was last seen, and secrets cannot, wherever contacts are answered', () => {
  const takes = ({ query }: Operation, include: string) =>
    'include' in (query?.shape ?? {}) && query?.safeParse({ include }).success === true;
  const answering = ['create', 'update', 'retrieve', 'list', 'search', 'export'];
  for (const operation of all) {
    const name = operation.id.replace('account.', '').replace('contacts.', '');
    const isOfContacts =
      answering.some((each) => operation.id.endsWith(`contacts.${each}`)) && answering.includes(name);
    const includesContacts = isOfContacts || operation.id.endsWith('events.list');
    assert.equal(takes(operation, 'attributes,tags'), includesContacts, operation.id);
    assert.equal(takes(operation, 'lastSeenAt'), isOfContacts && operation.id.startsWith('account.'), operation.id);
    if (isOfContacts) assert.ok(!takes(operation, 'phone') && !takes(operation, ''), operation.id);
  }
});

test('the operator has members’ operations on any organization or member, which the path names', () => {
  const organization = '/v1/operator/organizations/{organizationId}/';
  const ofMembers = ['listSessions', 'endSession', 'signOutEverywhere'];
  for (const name of operatorAccountNames) {
    const operation: Operation = operations[name];
    const { id, path, credentials, ...rest }: Operation = operations[`${name}AsOperator`];
    for (const ofCallers of [rest.role, rest.permissions, rest.isForAllBots]) assert.equal(ofCallers, undefined, id);
    assert.equal(id, operation.id.replace('account.', 'operator.'));
    const prefix = ofMembers.includes(name) ? `${organization}members/{memberId}/` : organization;
    assert.equal(path, operation.path.replace('/v1/account/', prefix));
    assert.deepEqual(credentials, ['operator']);
    for (const [member, value] of Object.entries(rest)) assert.equal(value, operation[member as keyof Operation], id);
  }
});

test('an operation that takes a secret names the permissions that it needs, and no other does', () => {
  for (const { id, credentials, permissions, isForAllBots } of all) {
    assert.equal(permissions !== undefined, credentials.includes('secret'), id);
    assert.ok(
      permissions === undefined || (permissions.length > 0 && new Set(permissions).size === permissions.length),
    );
    if (isForAllBots) assert.ok(credentials.includes('secret'), id);
  }
});

test('a secret changes with its own permission what it reads with another', () => {
  for (const { id, method, permissions = [] } of all) {
    const isRead = permissions.some((name) => name.endsWith(':read'));
    const isOfWebhooks = id.startsWith('webhooks.');
    const reads = method === 'GET' || id === 'contacts.search' || id === 'account.invitations.create';
    // Whoever names the receiver of a webhook reads the contacts that change.
    if (isOfWebhooks && !reads) assert.deepEqual(permissions, ['contacts:read', 'account:write'], id);
    else if (permissions.length > 0) assert.equal(isRead, reads, id);
  }
});

test('only operations that take a session need a role', () => {
  for (const { id, role, credentials } of all) assert.ok(role === undefined || credentials.includes('session'), id);
});

test('a viewer writes nothing but what is their own, and exports nothing', () => {
  const open = all.filter((each) => each.credentials.includes('session') && roleOf(each) === 'viewer');
  const sessions = ['signOut', 'signOutEverywhere', 'sessions.end', 'sessions.endOthers', 'confirmPassword'];
  const own = [...sessions, 'changePassword', 'update', 'leave'];
  const writing = open.filter(({ method }) => method !== 'GET').map(({ id }) => id);
  assert.deepEqual(writing.toSorted(), [...own, 'contacts.search'].map((name) => `account.${name}`).toSorted());
  assert.ok(!open.some(({ id }) => id === 'account.contacts.export'));
  const role = (of: Pick<Operation, 'role' | 'method'>) => roleOf(of);
  assert.deepEqual(
    [role({ method: 'GET' }), role({ method: 'POST' })],
    ['viewer', 'member'],
    'a new operation is closed',
  );
});

test('a role may do what those after it may', () => {
  assert.ok(isAtLeast('owner', 'viewer') && isAtLeast('member', 'member') && isAtLeast('viewer', 'viewer'));
  assert.ok(!isAtLeast('viewer', 'member') && !isAtLeast('member', 'owner') && !isAtLeast('viewer', 'owner'));
});

test('ids are unique, and so are methods with paths', () => {
  for (const keys of [all.map(({ id }) => id), all.map(({ method, path }) => `${method} ${path}`)]) {
    assert.deepEqual(keys, [...new Set(keys)]);
  }
  for (const { id } of all) assert.match(id, /^[a-z]+(\.[a-zA-Z]+)+$/);
});

test('every operation declares its credentials, and belongs to the public listener or to the operator’s', () => {
  const known = [...portCredentials, ...operatorCredentials];
  for (const { id, credentials } of all) {
    assert.ok(credentials.length > 0 && credentials.every((credential) => known.includes(credential)), id);
    if (credentials.includes('public')) assert.equal(credentials.length, 1, id);
  }
  const served = [...operationsFor(portCredentials), ...operationsFor(operatorCredentials)].map(([name]) => name);
  assert.deepEqual([...new Set(served)].sort(), Object.keys(operations).sort());
});

test('only an action of the audit log is declared as one, and one for each value of the field that decides it', () => {
  const known: readonly string[] = auditActions;
  for (const { id, audit, refusalAudit, body } of all) {
    const declared = typeof audit === 'object' ? Object.values(audit.actions) : [audit];
    for (const action of [...declared, refusalAudit]) assert.ok(action === undefined || known.includes(action), id);
    if (typeof audit !== 'object') continue;
    for (const value of Object.keys(audit.actions)) {
      assert.ok(body?.schema.safeParse({ [audit.field]: value }).success, `${id}: ${value}`);
    }
  }
});

test('a change of the account or of webhooks, or by a member, is in the audit log, and no other call under /v1/bots is', () => {
  // A new organization has no log yet, a backup and the purge are of none, and provisioning records each part that it creates.
  const ofTheOperator = ['operator.organizations.create', 'operator.backup', 'operator.provision', 'operator.purge'];
  const unrecorded = [
    ...['account.readLink', 'account.contacts.search', ...ofTheOperator],
    // It changes nothing.
    ...['webhooks.test', 'account.webhooks.test'],
  ];
  for (const { id, method, credentials, audit } of all) {
    const isRecorded =
      credentials.some((credential) => ['session', 'signIn', 'operator'].includes(credential)) ||
      id.startsWith('webhooks.');
    if (!isRecorded) assert.equal(audit, undefined, id);
    else if (method !== 'GET') assert.equal(audit === undefined, unrecorded.includes(id), id);
  }
});

test('an operation that pages of other origins may call is never an organization’s', () => {
  for (const { id, credentials } of all.filter(({ isCrossOrigin }) => isCrossOrigin)) {
    assert.ok(
      credentials.every((credential) => credential === 'contactToken' || credential === 'public'),
      id,
    );
  }
});

test('every path parameter is known, and every summary says something', () => {
  for (const { id, path, summary, answer } of all) {
    for (const name of parametersOf(path)) assert.ok(name in pathParameters, `${id}: ${name}`);
    assert.ok(summary.length > 0 && answer.description.length > 0, id);
  }
  assert.deepEqual(parametersOf('/a/{b}/c/{d}'), ['b', 'd']);
  assert.deepEqual(parametersOf('/a'), []);
});

test('a GET and a DELETE take no body, and a 204 and a redirect answer none', () => {
  for (const { id, method, body, answer } of all) {
    if (method === 'GET' || method === 'DELETE') assert.equal(body, undefined, id);
    const isEmpty = answer.status === 204 || answer.status === 302;
    if (isEmpty) assert.ok(answer.schema === undefined && answer.mediaType === undefined, id);
    else assert.ok(answer.schema !== undefined || answer.mediaType !== undefined, id);
  }
});

test('only the exchange of a contact for a token takes forms', () => {
  for (const { id, body, path } of all) {
    if (body === undefined) continue;
    const expected = path.includes('/auth/') ? ['json', 'form', 'multipart'] : ['json'];
    assert.deepEqual([...body.media], expected, id);
    for (const kind of body.media) assert.ok(mediaTypes[kind]);
  }
});

test('errors are listed once, in the order of the table, and follow from what the operation is', () => {
  const order = Object.keys(errorCodes) as ErrorCode[];
  // A link is in the body, an organization in the query, and the contact of an installation in its settings.
  const notByPath = [
    ...['account.readLink', 'account.acceptInvitation', 'account.resetPassword'],
    ...['operator.bots.list', 'operator.secrets.list', 'operator.members.list'],
    'service.securityText',
  ];
  for (const operation of all) {
    const codes = errorsOf(operation);
    assert.deepEqual(
      codes,
      order.filter((code) => codes.includes(code)),
    );
    const has = (code: ErrorCode) => codes.includes(code);
    assert.ok(has('internal') && has('unavailable'), operation.id);
    const takes = (credential: Credential) => operation.credentials.includes(credential);
    const isOpen = takes('public') || takes('signIn') || takes('operator');
    assert.equal(has('unauthorized'), !isOpen, operation.id);
    assert.equal(has('forbidden'), takes('session') || takes('signIn') || takes('secret'), operation.id);
    assert.equal(has('not_found'), operation.path.includes('{') || notByPath.includes(operation.id), operation.id);
    assert.equal(has('invalid_json'), operation.body !== undefined, operation.id);
    assert.equal(has('unsupported_media_type'), operation.body !== undefined, operation.id);
    assert.equal(has('body_too_large'), operation.body !== undefined, operation.id);
    const isOfInput = operation.body !== undefined || operation.query !== undefined || namesUnknown(operation);
    assert.equal(has('invalid_request'), isOfInput, operation.id);
  }
});

test('email_taken and too_many_contacts are errors of exactly the operations that can cause them', () => {
  const having = (code: ErrorCode) => all.filter((each) => errorsOf(each).includes(code)).map(({ id }) => id);
  const ofContacts = (name: string) => [`contacts.${name}`, `account.contacts.${name}`];
  assert.deepEqual(having('email_taken').toSorted(), [...ofContacts('create'), ...ofContacts('update')].toSorted());
  const ofMany = ['upsert', 'deleteMany'].flatMap(ofContacts);
  assert.deepEqual(having('too_many_contacts').toSorted(), ofMany.toSorted());
});

test('every error has a status, its name and a reason', () => {
  for (const [code, { status, title, when }] of Object.entries(errorCodes)) {
    assert.ok(status >= 400 && status <= 599, code);
    assert.ok(title.length > 0 && when.length > 0, code);
    for (const other of Object.values(errorCodes)) assert.equal(other.status === status, other.title === title, code);
  }
});
