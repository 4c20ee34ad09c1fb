// Every permission against every operation that takes a secret, for a bot in the secret's list, outside of it, and with no
// list: a new operation is in this matrix by itself.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Operation, type Permission, parametersOf, permissionNames } from '@roster/contract';
import { hashCredential, makeSecret } from '../../src/account/credentials.ts';
import { makeId } from '../../src/contacts/ids.ts';
import { codeOf, type Reply, startServer } from '../harness.ts';
import { sampleBot, sampleContext, sampleSecret } from '../sample.ts';
import {
  allOperations,
  keepTargets,
  makeTargets,
  parseProblem,
  pathOf,
  type Targets,
  wholeFile,
} from './every-operation.ts';

const server = await startServer(wholeFile);
const { call, mine, store } = server;
const targets = await makeTargets(server);
const kept = keepTargets(server);
const otherBot = sampleBot(mine.organizationId);
await store.createBot(otherBot, undefined, sampleContext());

interface Scope {
  permissions: readonly Permission[];
  bots: readonly string[] | undefined;
}

async function addSecret(scope: Scope): Promise<{ id: string; text: string }> {
  const text = makeSecret();
  const stored = sampleSecret(mine.organizationId, { ...scope, hash: hashCredential(text) });
  await store.createSecret(stored, undefined, sampleContext());
  return { id: stored.id, text };
}

const secrets = new Map<string, Promise<{ text: string }>>();

/** One for all requests with that scope. */
async function secretOf(scope: Scope): Promise<string> {
  const key = JSON.stringify(scope);
  const secret = secrets.get(key) ?? addSecret(scope);
  secrets.set(key, secret);
  return (await secret).text;
}

/** Each permission alone, all but one, and all: whatever an operation needs, one set has just that, and one just not. */
const permissionSets: readonly (readonly Permission[])[] = [
  ...permissionNames.map((name) => [name]),
  ...permissionNames.map((name) => permissionNames.filter((other) => other !== name)),
  permissionNames,
];

const takingSecrets = allOperations.filter(({ credentials }) => credentials.includes('secret'));
const withoutId = ({ text, json }: Reply) => text.replace(json.requestId, '');

/** Input that would be an error: a permission is judged before it. */
const badInput = { body: '{broken', headers: { 'content-type': 'text/nonsense' } };

function ask(operation: Operation, token: string, where: Targets): Promise<Reply> {
  return call(operation.method, pathOf(operation, where), { token, ...(operation.body !== undefined && badInput) });
}

for (const operation of takingSecrets) {
  const { id, permissions: needed = [], isForAllBots = false } = operation;
  const hasBot = parametersOf(operation.path).includes('botId');

  suite(`${id} needs ${needed.join(', ')}${isForAllBots ? ' for all bots' : ''}`, () => {
    for (const permissions of permissionSets) {
      const missing = needed.find((name) => !permissions.includes(name));
      const title = permissions.length === 1 ? permissions.join() : `${permissions.length}: ${permissions.join(', ')}`;

      test(`with ${title}`, async () => {
        for (const list of ['none', 'in', 'out'] as const) {
          // What a DELETE has taken away is made anew.
          const isDelete = operation.method === 'DELETE';
          const where = isDelete ? await kept.current() : targets;
          const botId = id === 'account.bots.delete' ? (where.deletedBotId as string) : where.botId;
          const bots = { none: undefined, in: [otherBot.id, botId], out: [otherBot.id] }[list];
          const scope = { permissions, bots };
          // The secret in the path may do what the caller may: a wider one would be refused for being so.
          const isOfSecret = operation.path.includes('{secretId}');
          const path = isOfSecret ? { ...where, secretId: (await addSecret(scope)).id } : where;
          const text = await secretOf(scope);
          const reply = await ask(operation, text, path);
          if (isDelete) kept.note(operation, reply);
          if (hasBot && list === 'out') {
            assert.deepEqual(codeOf(reply), [404, 'not_found'], list);
            const unknown = makeId('bot', 1);
            const gone = await ask(operation, text, { ...path, botId: unknown, deletedBotId: unknown });
            assert.equal(withoutId(reply), withoutId(gone));
          } else if (missing !== undefined) {
            assert.deepEqual([...codeOf(reply), reply.json.permission], [403, 'forbidden', missing], list);
            parseProblem({ ...reply, body: reply.text });
          } else if (isForAllBots && list !== 'none') {
            assert.deepEqual([...codeOf(reply), reply.json.permission], [403, 'forbidden', 'all_bots'], list);
          } else {
            assert.ok(reply.status < 500 && ![401, 403, 404].includes(reply.status), `${list}: ${reply.text}`);
          }
        }
      });
    }
  });
}

test('which operation needs which permission is what the contract says', () => {
  const bot = '/v1/account/bots/{botId}';
  const expected: Record<string, string[]> = {
    'contacts:read': [
      'POST /v1/bots/{botId}/contacts',
      'GET /v1/bots/{botId}/contacts',
      'GET /v1/bots/{botId}/contacts/{contactId}',
      'GET /v1/bots/{botId}/export',
      'GET /v1/bots/{botId}/attributes',
      'GET /v1/bots/{botId}/attributes/{key}',
      'GET /v1/bots/{botId}/tags',
      'GET /v1/bots/{botId}/segments',
      'GET /v1/bots/{botId}/segments/{key}',
      'GET /v1/bots/{botId}/events',
    ],
    'contacts:write': [
      'PUT /v1/bots/{botId}/contacts',
      'PATCH /v1/bots/{botId}/contacts',
      'PATCH /v1/bots/{botId}/contacts/{contactId}',
      'DELETE /v1/bots/{botId}/contacts/{contactId}',
      'POST /v1/bots/{botId}/contacts/delete',
      'PUT /v1/bots/{botId}/attributes/{key}',
      'DELETE /v1/bots/{botId}/attributes/{key}',
      'PATCH /v1/bots/{botId}/tags/{tag}',
      'DELETE /v1/bots/{botId}/tags/{tag}',
      'PUT /v1/bots/{botId}/segments/{key}',
      'DELETE /v1/bots/{botId}/segments/{key}',
    ],
    'tokens:write': [
      'POST /v1/bots/{botId}/auth/contact',
      'PUT /v1/bots/{botId}/auth/contacts',
      'POST /v1/bots/{botId}/auth/contacts',
      'DELETE /v1/bots/{botId}/auth/contacts/{token}',
      `DELETE ${bot}/contacts/{contactId}/tokens`,
      `DELETE ${bot}/contacts/{contactId}/tokens/{tokenId}`,
    ],
    'account:read': [
      'GET /v1/account/bots',
      `GET ${bot}`,
      'GET /v1/account/secrets',
      `GET ${bot}/contacts/{contactId}/tokens`,
      'GET /v1/bots/{botId}/webhooks',
      'GET /v1/bots/{botId}/webhooks/{webhookId}',
      'GET /v1/bots/{botId}/webhooks/{webhookId}/deliveries',
      'GET /v1/bots/{botId}/webhooks/{webhookId}/deliveries/{eventId}',
    ],
    'account:read, for all bots': ['GET /v1/account/members', 'GET /v1/account/invitations', 'GET /v1/account/audit'],
    'account:write': [
      `PATCH ${bot}`,
      `DELETE ${bot}`,
      'POST /v1/account/secrets',
      'PATCH /v1/account/secrets/{secretId}',
      'DELETE /v1/account/secrets/{secretId}',
    ],
    'account:write, for all bots': [
      'POST /v1/account/bots',
      'PATCH /v1/account/members/{memberId}',
      'DELETE /v1/account/members/{memberId}',
      'DELETE /v1/account/invitations/{invitationId}',
    ],
    'contacts:read,account:write': [
      'POST /v1/bots/{botId}/webhooks',
      'PATCH /v1/bots/{botId}/webhooks/{webhookId}',
      'DELETE /v1/bots/{botId}/webhooks/{webhookId}',
      'POST /v1/bots/{botId}/webhooks/{webhookId}/rotate',
      'POST /v1/bots/{botId}/webhooks/{webhookId}/test',
      'POST /v1/bots/{botId}/webhooks/{webhookId}/deliveries/{eventId}/retry',
      'POST /v1/bots/{botId}/webhooks/{webhookId}/deliveries/retry-failed',
      'POST /v1/bots/{botId}/webhooks/{webhookId}/deliveries/{eventId}/skip',
      'POST /v1/bots/{botId}/webhooks/{webhookId}/replay',
    ],
    [`${permissionNames.join()}, for all bots`]: ['POST /v1/account/invitations'],
  };
  const byNeed = Map.groupBy(
    takingSecrets,
    ({ permissions = [], isForAllBots }) => `${permissions.join()}${isForAllBots ? ', for all bots' : ''}`,
  );
  for (const [need, operations] of byNeed) {
    const listed = operations.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(listed.toSorted(), expected[need]?.toSorted(), need);
  }
  assert.deepEqual([...byNeed.keys()].toSorted(), Object.keys(expected).toSorted());
});
