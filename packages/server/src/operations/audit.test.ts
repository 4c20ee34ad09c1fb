// The audit log: what people do is in it, who and from where, and nothing that is secret.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type AuditEntry, auditActions } from '@roster/contract';
import { operatorOf } from '../../../cli/test/operator/in-process.ts';
import { ConsolePage, plantSetUpCode, signInAs } from '../../test/console-client.ts';
import { addTenant, createContact, startServer, type TestServer, withOwnTenants } from '../../test/harness.ts';
import { sampleContext, sampleToken } from '../../test/sample.ts';
import { wholeFile } from '../../test/whole-file.ts';
import { makeId } from '../contacts/ids.ts';
import type { WriteContext } from '../store/write-context.ts';

const shared = await startServer(wholeFile);

const password = 'canary correct horse';
const otherPassword = 'canary battery staple';

async function readAll(page: ConsolePage): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let before = '';
  do {
    const { json } = await page.call('GET', `audit?limit=7&before=${before}`);
    entries.push(...json.data);
    before = json.next ?? '';
  } while (before !== '');
  return entries;
}

type Send = (method: string, path: string, body?: object) => Promise<Record<string, string>>;

async function doWithWebhook(botId: string, send: Send, told: (secret: string) => string) {
  const url = 'https://shop.example.com/canary-path?key=canary-key';
  const { id = '', secret = '' } = await send('POST', `bots/${botId}/webhooks`, { url, description: 'canary-text' });
  const rotated = await send('POST', `bots/${botId}/webhooks/${id}/rotate`);
  told(secret);
  told(rotated['secret'] ?? '');
  await send('PATCH', `bots/${botId}/webhooks/${id}`, { types: null });
  await send('POST', `bots/${botId}/webhooks/${id}/replay`, {});
  await send('DELETE', `bots/${botId}/webhooks/${id}`);
}

/** Does everything that has an action, with canaries wherever something is secret. Returns them. */
async function doEverything(server: TestServer): Promise<{ owner: ConsolePage; secrets: string[] }> {
  const secrets = [password, otherPassword, 'canary-code'];
  const told = (value: string) => {
    secrets.push(value);
    return value;
  };
  const tokenOf = (link: string) => told(link.slice(link.lastIndexOf('/') + 1));
  const owner = new ConsolePage(server, server.mine);
  const send = async (page: ConsolePage, method: string, path: string, body?: object) => {
    const reply = await page.call(method, path, { ...(body && { body }) });
    assert.ok(reply.status < 300 || reply.json?.code === 'sign_in_failed', `${method} ${path}: ${reply.text}`);
    if (page.cookie !== undefined) told(page.cookie.split('=')[1] as string);
    if (page.csrfToken !== undefined) told(page.csrfToken);
    // Entries are distinguished by their time.
    server.clock.nowMs += 10;
    return reply.json?.data;
  };
  const operator = operatorOf(server);

  await plantSetUpCode(server, 'canary-code');
  const email = 'owner@example.com';
  await send(owner, 'POST', 'setup', {
    code: 'canary-code',
    organizationName: 'Acme',
    name: 'Olivia',
    email,
    password,
  });
  await send(owner, 'POST', 'session', { email, password: otherPassword });
  await send(owner, 'POST', 'session', { email, password });
  await send(owner, 'PATCH', 'organization', { name: 'Acme Ltd' });
  await send(owner, 'PUT', 'organization/settings', { membersMayManageWebhooks: true });
  const bot = await send(owner, 'POST', 'bots', { name: 'Support' });
  await send(owner, 'PATCH', `bots/${bot.id}`, { greeting: 'Hi' });
  const contact = await send(owner, 'PUT', `bots/${bot.id}/contacts`, { name: 'Jane', email: 'jane@example.com' });
  await send(owner, 'PATCH', `bots/${bot.id}/contacts/${contact.id}`, { phone: '1' });
  await send(owner, 'PATCH', `bots/${bot.id}/contacts`, { data: [{ name: 'Joe', email: 'joe@example.com' }] });
  await send(owner, 'PUT', `bots/${bot.id}/attributes/plan`, { type: 'text', label: 'canary-label' });
  const kinds = { tag: { addTags: ['canary'] }, untag: { removeTags: ['canary'] }, attribute: {}, clear: {} };
  for (const [kind, row] of Object.entries(kinds)) {
    const headers = { 'roster-task': `kind=${kind}&id=task-${kind}&name=plan` };
    const body = { data: [{ email: 'joe@example.com', ...row }] };
    assert.equal((await owner.call('PATCH', `bots/${bot.id}/contacts`, { body, headers })).status, 200);
  }
  const values = { attributes: { plan: 'canary-value' }, tags: ['canary-tag'] };
  await send(owner, 'PATCH', `bots/${bot.id}/contacts/${contact.id}`, values);
  await send(owner, 'PATCH', `bots/${bot.id}/tags/canary-tag`, { name: 'canary-name' });
  await send(owner, 'DELETE', `bots/${bot.id}/tags/canary-name`);
  await send(owner, 'DELETE', `bots/${bot.id}/attributes/plan`);
  await send(owner, 'PUT', `bots/${bot.id}/segments/large`, { label: 'canary-label', filter: { tag: ['canary-tag'] } });
  await send(owner, 'DELETE', `bots/${bot.id}/segments/large`);
  await doWithWebhook(bot.id, (method, path, body) => send(owner, method, path, body), told);
  await send(owner, 'GET', `bots/${bot.id}/export`);
  const createdAtMs = server.clock.nowMs;
  const token = sampleToken({ createdAtMs, expiresAtMs: createdAtMs + 1000 });
  await server.store.createContactToken(bot.id, contact.id, token, undefined, sampleContext());
  const [listed] = await send(owner, 'GET', `bots/${bot.id}/contacts/${contact.id}/tokens`);
  await send(owner, 'DELETE', `bots/${bot.id}/contacts/${contact.id}/tokens/${listed.id}`);
  await send(owner, 'DELETE', `bots/${bot.id}/contacts/${contact.id}/tokens`);
  await send(owner, 'DELETE', `bots/${bot.id}/contacts/${contact.id}`);
  await send(owner, 'DELETE', `bots/${bot.id}`);
  const secret = await send(owner, 'POST', 'secrets', { name: 'Web shop' });
  told(secret.secret);
  await send(owner, 'PATCH', `secrets/${secret.id}`, { name: 'Shop' });
  await send(owner, 'DELETE', `secrets/${secret.id}`);
  const withdrawn = await send(owner, 'POST', 'invitations', { email: 'x@example.com', role: 'member' });
  tokenOf(withdrawn.link);
  await send(owner, 'DELETE', `invitations/${withdrawn.id}`);
  const invitation = await send(owner, 'POST', 'invitations', { email: 'new@example.com', role: 'member' });
  const colleague = new ConsolePage(server, server.mine);
  const joining = { token: tokenOf(invitation.link), name: 'New', password };
  const { member, organization } = await send(colleague, 'POST', 'invitations/accept', joining);
  await send(colleague, 'POST', 'password', { currentPassword: password, newPassword: otherPassword });
  const reset = await operator.resetPassword({ organizationId: organization.id, id: member.id });
  await send(colleague, 'POST', 'password/reset', { token: tokenOf(reset.link), password });
  await send(colleague, 'POST', 'session/confirm', { password });
  await send(colleague, 'PATCH', 'member', { name: 'New', password });
  const elsewhere = new ConsolePage(server, server.mine);
  await send(elsewhere, 'POST', 'session', { email: 'new@example.com', password });
  const [latest] = await send(colleague, 'GET', 'sessions');
  await send(colleague, 'DELETE', `sessions/${latest.id}`);
  await send(colleague, 'DELETE', 'session/others');
  await send(colleague, 'DELETE', 'sessions');
  const leaving = await send(owner, 'POST', 'invitations', { email: 'leaving@example.com', role: 'member' });
  await send(elsewhere, 'POST', 'invitations/accept', { token: tokenOf(leaving.link), name: 'Lea', password });
  await send(elsewhere, 'DELETE', 'member');
  await send(owner, 'PATCH', `members/${member.id}`, { role: 'owner' });
  await send(owner, 'PATCH', `members/${member.id}`, { role: 'viewer' });
  await send(owner, 'PATCH', `members/${member.id}`, { role: 'member' });
  await send(owner, 'DELETE', `members/${member.id}`);
  const { member: former } = await signInAs(server, 'member', { ...server.mine, organizationId: organization.id });
  await send(owner, 'DELETE', `members/${former.id}?revokeSecrets=true`);
  await send(owner, 'DELETE', 'session');
  await send(owner, 'POST', 'session', { email, password });
  return { owner, secrets };
}

suite('the audit log', () => {
  test('has an entry for every action, by whom, on what and from where, and holds no secret', async (t) => {
    const server = await startServer(t);
    const { owner, secrets } = await doEverything(server);
    const entries = await readAll(owner);
    // Deliveries that fail switch a webhook off; none is there to retry or to skip.
    const ofDeliveries = ['webhook.disable', 'webhook.retry', 'webhook.skip'];
    const ofCalls = auditActions.filter((action) => !ofDeliveries.includes(action));
    assert.deepEqual([...new Set(entries.map(({ action }) => action))].toSorted(), ofCalls.toSorted());
    assert.deepEqual(
      entries.map(({ at }) => at),
      entries
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
    const text = JSON.stringify(entries);
    for (const secret of secrets) assert.ok(!text.includes(secret), secret);
    assert.ok(!text.includes('canary'));

    const entry = (action: string) => entries.find((each) => each.action === action) as AuditEntry;
    const { actor, object, address, count } = entry('secret.create');
    assert.deepEqual([actor.kind, actor.name, address, count], ['member', 'Olivia', '127.0.0.1', 1]);
    assert.equal(object.name, 'Web shop', 'as it was then');
    assert.equal(entry('secret.revoke').object.name, 'Shop');
    assert.equal(entry('member.remove').object.name, 'New');
    assert.equal(entry('attribute.define').object.name, 'plan', 'the key and no value');
    assert.equal(entry('tag.rename').object.name, 'Support', 'the bot and not the tag');
    assert.equal(entry('webhook.create').object.name, 'https://shop.example.com', 'the origin and no more of the URL');
    assert.equal(entry('segment.define').object.name, 'large', 'the key and nothing of its filter');
    assert.deepEqual(entry('member.signInFailed').actor, { kind: 'nobody', id: null, name: 'nobody' });
    const byOperator = entry('passwordReset.create');
    assert.deepEqual([byOperator.actor.kind, byOperator.address], ['operator', null]);
  });

  test('shows an owner the entries of their own organization alone', async () => {
    const server = await withOwnTenants(shared);
    const { page: mine } = await signInAs(server, 'owner');
    const tenant = await addTenant(server.store);
    const { page: theirs } = await signInAs(server, 'owner', tenant);
    await mine.call('POST', 'bots', { body: { name: 'Mine' } });
    assert.deepEqual(await readAll(theirs), []);
    assert.deepEqual(
      (await readAll(mine)).map(({ action }) => action),
      ['bot.create'],
    );
  });

  test('counts what is done to the contacts of a bot within ten minutes in one entry', async () => {
    const server = await withOwnTenants(shared);
    const { page } = await signInAs(server, 'owner');
    const other = await signInAs(server, 'owner');
    const path = `bots/${server.mine.bot.id}/contacts`;
    const people = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => ({ name: 'P', email: `p${from + index}@example.com` }));
    const importInto = (who: ConsolePage, from: number, count: number) =>
      who.call('PATCH', path, { body: { data: people(from, count) } });
    await importInto(page, 0, 3);
    server.clock.nowMs += 9 * 60_000;
    await importInto(page, 3, 2);
    await importInto(other.page, 0, 1);
    await page.call('PATCH', path, { body: { data: [] } });
    server.clock.nowMs += 60_001;
    await importInto(page, 5, 4);
    const imports = (await readAll(page)).filter(({ action }) => action === 'contacts.import');
    assert.deepEqual(
      imports.map(({ count, actor, object }) => [count, actor.id === other.member.id, object.id]),
      [
        [4, false, server.mine.bot.id],
        [1, true, server.mine.bot.id],
        [5, false, server.mine.bot.id],
      ],
    );
    for (let position = ''; ; ) {
      const { json } = await page.call('GET', `bots/${server.mine.bot.id}/export?limit=4&after=${position}`);
      if (json.next === null) break;
      position = json.next;
    }
    const exported = (await readAll(page)).find(({ action }) => action === 'contacts.export');
    assert.equal(exported?.count, 9, 'contacts, over all pages');
  });

  test('an import and an action on many contacts of the console are one entry each, with what they did', async () => {
    const server = await withOwnTenants(shared);
    const { page } = await signInAs(server, 'owner');
    const path = `bots/${server.mine.bot.id}/contacts`;
    const emails = Array.from({ length: 4 }, (_, index) => `p${index}@example.com`);
    const act = async (task: Record<string, string>, data: object[]) => {
      server.clock.nowMs += 11 * 60_000;
      const headers = { 'roster-task': new URLSearchParams({ id: `task-${task['kind']}`, ...task }).toString() };
      const reply = await page.call('PATCH', path, { body: { data }, headers });
      assert.equal(reply.status, 200, reply.text);
    };
    const people = emails.map((email) => ({ name: 'Jane', email }));
    await page.call('PUT', path, { body: { name: 'Old', email: emails[3] } });
    await page.call('PUT', `bots/${server.mine.bot.id}/attributes/plan`, { body: { type: 'text', label: 'Plan' } });
    const file = { kind: 'import', name: `Größe & “Ü”.csv${'x'.repeat(300)}` };
    await act(file, people.slice(0, 2));
    await act(file, people);
    await act(
      { kind: 'tag', name: 'canary' },
      emails.map((email) => ({ email, addTags: ['vip'] })),
    );
    await act(
      { kind: 'untag' },
      emails.slice(2).map((email) => ({ email, removeTags: ['vip'] })),
    );
    await act(
      { kind: 'attribute', name: 'plan' },
      emails.map((email) => ({ email, attributes: { plan: 'pro' } })),
    );
    await act(
      { kind: 'clear', name: 'plan' },
      emails.map((email) => ({ email, attributes: { plan: null } })),
    );
    const ids = (await page.call('GET', path)).json.data.map(({ id }: { id: string }) => id);
    const headers = { 'roster-task': 'kind=delete&id=task-delete' };
    await page.call('POST', `${path}/delete`, { body: { ids }, headers });
    const entries = (await readAll(page)).filter(({ task }) => task !== null).toReversed();
    assert.deepEqual(
      entries.map(({ action, count, task }) => [action, count, task?.name, task?.created, task?.updated]),
      [
        ['contacts.import', 6, file.name.slice(0, 200), 3, 1],
        ['contacts.tag', 4, null, 0, 4],
        ['contacts.untag', 2, null, 0, 2],
        ['contacts.setAttribute', 4, 'plan', 0, 4],
        ['contacts.clearAttribute', 4, 'plan', 0, 4],
        ['contact.delete', 4, null, 0, 0],
      ],
    );
  });

  test('does not take the word of a request that does something else than the task that it names', async () => {
    const server = await withOwnTenants(shared);
    const { page } = await signInAs(server, 'owner');
    const path = `bots/${server.mine.bot.id}/contacts`;
    const jane = { name: 'Jane', email: 'jane@example.com' };
    await page.call('PUT', `bots/${server.mine.bot.id}/attributes/plan`, { body: { type: 'text', label: 'Plan' } });
    for (const [task, row] of [
      ['kind=tag&id=12345678', { ...jane, addTags: ['vip'] }],
      ['kind=untag&id=12345678', { email: jane.email, addTags: ['vip'] }],
      ['kind=attribute&id=12345678&name=seats', { email: jane.email, attributes: { plan: 'pro' } }],
      ['kind=delete&id=12345678', jane],
      ['kind=import&id=', jane],
      ['kind=import&id=a%20b%20c%20d', jane],
      ['kind=toString&id=12345678', jane],
      ['%', jane],
    ] as const) {
      server.clock.nowMs += 11 * 60_000;
      await page.call('PATCH', path, { body: { data: [row] }, headers: { 'roster-task': task } });
      const [entry] = await readAll(page);
      assert.deepEqual([entry?.action, entry?.task], ['contacts.import', null], task);
    }
    const bySecret = { headers: { 'roster-task': 'kind=import&id=12345678' }, body: { data: [jane] } };
    assert.equal((await server.call('PATCH', 'contacts', bySecret)).status, 200);
  });

  test('is narrowed by person, action and time', async () => {
    const server = await withOwnTenants(shared);
    const { page, member } = await signInAs(server, 'owner');
    const { page: other } = await signInAs(server, 'owner');
    await page.call('POST', 'bots', { body: { name: 'One' } });
    server.clock.nowMs += 60_000;
    await other.call('POST', 'bots', { body: { name: 'Two' } });
    await page.call('POST', 'secrets', { body: { name: 'Three' } });
    const find = async (query: string) => {
      const { status, json } = await page.call('GET', `audit?${query}`);
      return status === 200 ? json.data.map(({ object }: AuditEntry) => object.name) : json.errors[0].field;
    };
    const since = new Date(server.clock.nowMs).toISOString();
    assert.deepEqual(await find(`actor=${member.id}`), ['Three', 'One']);
    assert.deepEqual(await find('action=bot.create'), ['Two', 'One']);
    assert.deepEqual((await find('action=bot.create&action=secret.create')).toSorted(), ['One', 'Three', 'Two']);
    assert.deepEqual(await find(`at[gte]=${since}&action=bot.create`), ['Two']);
    assert.deepEqual(await find(`at[lt]=${since}`), ['One']);
    assert.deepEqual(await find('actor=operator'), []);
    for (const [query, field] of [
      ['actor=x', 'actor'],
      ['action=x', 'action'],
      ['at[gte]=x', 'at[gte]'],
    ] as const) {
      assert.deepEqual(await find(query), field);
    }
  });

  test('an export of a search is in it, once, and its query is not', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page } = await signInAs(server, 'owner');
    for (let count = 0; count < 5; count++) await createContact(server.call, { name: `Canary ${count}` });
    await createContact(server.call, { name: 'Other' });
    for (let after: string | null = ''; after !== null; ) {
      const { json } = await page.call('GET', `bots/${server.mine.bot.id}/export?query=canary&limit=2&after=${after}`);
      after = json.next;
    }
    const entries = await readAll(page);
    assert.deepEqual(
      entries.map(({ action, object, count, address }) => [action, object.id, count, address]),
      [['contacts.export', server.mine.bot.id, 5, '127.0.0.1']],
    );
    assert.doesNotMatch(JSON.stringify(entries) + server.logged.join(''), /canary/i);
  });

  test('what narrowed an export is in it by its names, and what it was compared with is not', async (t) => {
    const server = await startServer(t, { storeOf: shared });
    const { page } = await signInAs(server, 'owner');
    await server.call('PUT', 'attributes/plan', { body: { type: 'text', label: 'Plan' } });
    const narrowings = [
      '',
      'tag=canary&tag=vip',
      'query=canary',
      'createdAt[gte]=-30d&attributes[plan]=canary',
      'limit=5',
    ];
    for (const narrowing of narrowings) {
      const contact = { attributes: { plan: 'canary' }, tags: ['canary', 'vip'], name: 'canary' };
      await createContact(server.call, contact);
      assert.equal((await page.call('GET', `bots/${server.mine.bot.id}/export?${narrowing}`)).status, 200);
    }
    const exports = (await readAll(page)).filter(({ action }) => action === 'contacts.export');
    assert.deepEqual(
      exports.map(({ filter, count }) => [filter, count]),
      [
        [['attributes[plan]', 'createdAt[gte]'], 4],
        [['query'], 3],
        [['tag'], 2],
        [null, 6],
      ],
    );
    assert.doesNotMatch(JSON.stringify(exports), /canary|30d/);
  });

  test('failed sign-ins are counted per address, for members and for unknown emails', async (t) => {
    const server = await startServer(t, { config: { trustProxy: 1 } });
    const { page, member } = await signInAs(server, 'owner');
    const [first] = await server.store.listOrganizations();
    const guess = (email: string, address: string) =>
      new ConsolePage(server, server.mine).call('POST', 'session', {
        body: { email, password: 'wrong' },
        headers: { 'x-forwarded-for': address },
      });
    for (const email of [member.email, 'nobody@example.com']) {
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1']) {
        assert.equal((await guess(email, address)).status, 401);
        server.clock.nowMs += 11 * 60_000;
      }
    }
    const failures = (await readAll(page)).filter(({ action }) => action === 'member.signInFailed');
    const { entries } = await server.store.listAudit(first?.id as string, { before: undefined, limit: 10 });
    const ofUnknown = entries.filter(({ object }) => object.name === 'unknown email');
    for (const listed of [failures.filter(({ object }) => object.id === member.id), ofUnknown]) {
      assert.deepEqual(
        listed.map(({ address, count }) => [address, count]),
        [
          ['192.0.2.1', 2],
          ['192.0.2.2', 1],
        ],
      );
    }
  });

  test('failed sign-ins are counted, not listed one by one, and what was typed is not shown', async (t) => {
    const server = await startServer(t);
    const { page } = await signInAs(server, 'owner');
    for (let time = 0; time < 3; time++) {
      const body = { email: `typed${time}@example.com`, password: 'wrong' };
      await new ConsolePage(server, server.mine).call('POST', 'session', { body });
    }
    const [first] = await server.store.listOrganizations();
    const { entries } = await server.store.listAudit(first?.id as string, { before: undefined, limit: 10 });
    assert.deepEqual(
      entries.map(({ action, object, count }) => [action, object.name, count]),
      [['member.signInFailed', 'unknown email', 3]],
    );
    assert.ok(page);
  });

  test('an action whose entry cannot be written is not done, and is answered as a failure', async (t) => {
    // No entry can be of an organization that does not exist.
    const unwritable = <Context extends WriteContext>(context: Context): Context => {
      const { audit } = context;
      const entry = audit && { ...audit.entry, organizationId: makeId('organization', 1) };
      return { ...context, audit: entry && { ...audit, entry } };
    };
    const server = await startServer(t, {
      storeOf: shared,
      wrapStore: (store) => ({
        ...store,
        createBot: (bot, max, context) => store.createBot(bot, max, unwritable(context)),
        createContact: (botId, fields, context) => store.createContact(botId, fields, unwritable(context)),
        revokeSecret: (secretId, context) => store.revokeSecret(secretId, unwritable(context)),
        removeMember: (organizationId, memberId, removal, context) =>
          store.removeMember(organizationId, memberId, removal, unwritable(context)),
      }),
    });
    const { page } = await signInAs(server, 'owner');
    const { member } = await signInAs(server, 'member');
    const { bot, secretId } = server.mine;
    const attempts: [string, string, object?][] = [
      ['POST', 'bots', { name: 'Bot' }],
      ['PUT', `bots/${bot.id}/contacts`, { name: 'Jane', email: 'jane@example.com' }],
      ['DELETE', `secrets/${secretId}`],
      ['DELETE', `members/${member.id}`],
    ];
    for (const [method, path, body] of attempts) {
      assert.equal((await page.call(method, path, { ...(body && { body }) })).status, 500, path);
    }
    assert.equal((await page.call('GET', 'bots')).json.data.length, 1);
    assert.equal((await page.call('GET', 'members')).json.data.length, 2);
    assert.equal((await server.call('GET', 'contacts')).json.pagination.total, 0);
    assert.deepEqual(await readAll(page), []);
  });

  test('an action that is refused leaves no entry', async () => {
    const server = await withOwnTenants(shared);
    const { page, member } = await signInAs(server, 'owner');
    const { bot, secretId } = server.mine;
    const contact = await createContact(server.call);
    await server.app.tenantCache.revokeSecret(secretId, sampleContext({ nowMs: server.clock.nowMs }));
    const attempts: [string, string, number, object?][] = [
      ['DELETE', `members/${member.id}`, 400],
      ['PATCH', `members/${member.id}`, 400, { role: 'member' }],
      ['POST', 'invitations', 400, { email: member.email, role: 'member' }],
      ['DELETE', `invitations/${makeId('invitation', 1)}`, 404],
      ['PATCH', `secrets/${makeId('secret', 1)}`, 404, { name: 'Shop' }],
      ['DELETE', `secrets/${secretId}`, 204],
      ['PUT', `bots/${bot.id}/contacts`, 400, { name: 'Jane', email: contact.email }],
      ['PATCH', `bots/${bot.id}/contacts`, 400, { data: [{ email: 'new@example.com' }] }],
      ['PATCH', `bots/${bot.id}/contacts`, 200, { data: [] }],
      ['DELETE', `bots/${bot.id}/contacts/${makeId('contact', 1)}`, 404],
      ['DELETE', `bots/${bot.id}/contacts/${makeId('contact', 1)}/tokens`, 404],
      ['DELETE', `bots/${bot.id}/contacts/${contact.id}/tokens/1-0000000000000000`, 404],
    ];
    for (const [method, path, status, body] of attempts) {
      const reply = await page.call(method, path, { ...(body && { body }) });
      assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`);
    }
    assert.deepEqual(await readAll(page), []);
  });

  test('an export that cannot be recorded is answered as a failure', async (t) => {
    const server = await startServer(t, {
      storeOf: shared,
      wrapStore: (store) => ({ ...store, recordAudit: () => Promise.reject(new Error('no log')) }),
    });
    await createContact(server.call);
    const { page } = await signInAs(server, 'owner');
    assert.equal((await page.call('GET', `bots/${server.mine.bot.id}/export`)).status, 500);
  });

  test('what the operator changes by the command line is in it', async () => {
    const server = await withOwnTenants(shared);
    const { page } = await signInAs(server, 'owner');
    const { organizationId } = server.mine;
    const operator = operatorOf(server);
    await operator.renameOrganization(organizationId, 'Acme');
    const bot = await operator.createBot(organizationId, { name: 'Support' });
    await operator.updateBot(bot, { greeting: '' });
    await operator.deleteBot(bot);
    const secret = await operator.createSecret(organizationId, { name: 'Web shop' });
    await operator.renameSecret(secret, 'Shop');
    await operator.revokeSecret(secret);
    await operator.revokeSecret(secret);
    await operator.inviteMember(organizationId, { email: 'new@example.com', role: 'owner' });
    const { member } = await signInAs(server, 'member');
    await operator.resetPassword(member);
    await operator.removeMember(member);
    const entries = await readAll(page);
    assert.deepEqual(
      entries.toReversed().map(({ action, object }) => [action, object.name]),
      [
        ['organization.rename', 'Acme'],
        ['bot.create', 'Support'],
        ['bot.update', 'Support'],
        ['bot.delete', 'Support'],
        ['secret.create', 'Web shop'],
        ['secret.rename', 'Shop'],
        ['secret.revoke', 'Shop'],
        ['invitation.create', 'new@example.com'],
        ['passwordReset.create', member.name],
        ['member.remove', member.name],
      ],
    );
    for (const { actor, address } of entries) assert.deepEqual([actor.kind, address], ['operator', null]);
  });

  test('pages have at most 200 entries, and only a position of the log is one', async () => {
    const server = await withOwnTenants(shared);
    const { page } = await signInAs(server, 'owner');
    for (const query of ['limit=201', 'limit=0', 'before=x', 'before=con_a6']) {
      assert.equal((await page.call('GET', `audit?${query}`)).status, 400, query);
    }
    assert.deepEqual((await page.call('GET', 'audit')).json, { data: [], next: null });
  });
});
