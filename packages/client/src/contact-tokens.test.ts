// Contact tokens, through the client, against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clientOf, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import { NotFoundError, ValidationError } from './index.ts';

const server = await startServer(wholeFile);
const roster = clientOf(server);
const { data: jane } = await roster.contacts.create({ name: 'Jane Doe', email: 'jane@example.com' });

const visitorOf = (token: string) => server.call('GET', 'auth/contact', { token });

suite('auth.contacts', () => {
  test('tokenize issues a token for the contact with an id or an email', async () => {
    for (const identity of [{ id: jane.id }, { email: 'JANE@example.com' }, { id: jane.id, email: jane.email }]) {
      const { status, data } = await roster.auth.contacts.tokenize(identity);
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(data).sort(), ['createdAt', 'expiresAt', 'token']);
      assert.equal((await visitorOf(data.token)).json.data.id, jane.id);
    }
  });

  test('tokenize takes the seconds until the token expires', async () => {
    const { data } = await roster.auth.contacts.tokenize({ id: jane.id, expiresIn: 3600 });
    assert.equal(Date.parse(data.expiresAt) - Date.parse(data.createdAt), 3_600_000);
    const wrong = await rejectionOf(roster.auth.contacts.tokenize({ email: jane.email, expiresIn: 59 }));
    assert.ok(wrong instanceof ValidationError);
    assert.deepEqual(
      wrong.errors.map(({ field }) => field),
      ['expiresIn'],
    );
  });

  test('tokenize rejects when the contact does not exist, and when none is given', async () => {
    const unknown = await rejectionOf(roster.auth.contacts.tokenize({ email: 'nobody@example.com' }));
    assert.ok(unknown instanceof NotFoundError);
    // @ts-expect-error A call without either does not compile, and is refused all the same.
    const neither = await rejectionOf(roster.auth.contacts.tokenize({}));
    assert.ok(neither instanceof ValidationError);
  });

  test('a revoked token is refused at once, and revoking an unknown one rejects', async () => {
    const { data } = await roster.auth.contacts.tokenize({ id: jane.id });
    const contactToken = data.token;
    assert.deepEqual(await roster.auth.contacts.revoke({ contactToken }), { status: 204, data: null });
    assert.equal((await visitorOf(contactToken)).status, 401);
    const again = await rejectionOf(roster.auth.contacts.revoke({ contactToken }));
    assert.ok(again instanceof NotFoundError);
    for (const odd of ['c:/../x', 'c:?#', '%', '😀']) {
      assert.ok((await rejectionOf(roster.auth.contacts.revoke({ contactToken: odd }))) instanceof NotFoundError, odd);
    }
  });
});
