// The contact operations, through the client, against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clientOf, clientThrough, rejectionOf, startServer, wholeFile } from '../test/harness.ts';
import {
  BodyTooLargeError,
  ConnectionError,
  EmailTakenError,
  etagOf,
  HeadersTooLargeError,
  NotFoundError,
  PreconditionFailedError,
  RateLimitedError,
  TooManyContactsError,
  UnauthorizedError,
  UnavailableError,
  UsageError,
  ValidationError,
} from './index.ts';

const server = await startServer(wholeFile);
const roster = clientOf(server);

suite('contacts', () => {
  test('create resolves with 201 and the contact, all eight members', async () => {
    const result = await roster.contacts.create({ name: 'Jane Doe', email: 'jane@example.com', wid: '+1 555 0100' });
    assert.deepEqual(Object.keys(result), ['status', 'data']);
    assert.equal(result.status, 201);
    const { id, createdAt, updatedAt, ...fields } = result.data;
    assert.deepEqual(fields, { name: 'Jane Doe', email: 'jane@example.com', phone: '', mid: '', wid: '+15550100' });
    assert.match(id, /^con_/);
    assert.equal(createdAt, updatedAt);
  });

  test('retrieve, update and delete resolve with status and data', async () => {
    const { data: created } = await roster.contacts.create({ name: 'Joe', email: 'joe@example.com', phone: '1' });
    assert.deepEqual(await roster.contacts.retrieve(created.id), { status: 200, data: created });

    const updated = await roster.contacts.update(created.id, { name: 'Joe Roe', phone: null });
    assert.deepEqual([updated.status, updated.data.name, updated.data.phone], [200, 'Joe Roe', '']);

    assert.deepEqual(await roster.contacts.delete(created.id), { status: 204, data: null });
    assert.ok((await rejectionOf(roster.contacts.retrieve(created.id))) instanceof NotFoundError);
  });

  test('update and delete take the contact that was read, or its ETag, and change no other version', async () => {
    const { data: read } = await roster.contacts.create({ name: 'Version', email: 'version@example.com' });
    const { headers } = await server.call('GET', `contacts/${read.id}`);
    assert.equal(headers.get('etag'), etagOf(read));
    const { data: updated } = await roster.contacts.update(read.id, { name: 'Second' }, { ifMatch: read });
    for (const ifMatch of [read, etagOf(read)]) {
      const stale = await rejectionOf(roster.contacts.update(read.id, { name: 'Third' }, { ifMatch }));
      assert.ok(stale instanceof PreconditionFailedError);
      assert.deepEqual([stale.status, stale.code], [412, 'precondition_failed']);
      const kept = await rejectionOf(roster.contacts.delete(read.id, { ifMatch }));
      assert.ok(kept instanceof PreconditionFailedError);
    }
    assert.deepEqual((await roster.contacts.retrieve(read.id)).data, updated);
    const malformed = await rejectionOf(roster.contacts.delete(read.id, { ifMatch: updated.updatedAt }));
    assert.ok(malformed instanceof ValidationError);
    for (const ifMatch of [{ updatedAt: 'never' }, '"1"\r\nX: 1', '"€"']) {
      assert.ok((await rejectionOf(roster.contacts.delete(read.id, { ifMatch }))) instanceof UsageError);
    }
    await roster.contacts.update(read.id, { name: 'Any' }, { ifMatch: '*' });
    const { data: last } = await roster.contacts.retrieve(read.id);
    assert.equal((await roster.contacts.delete(read.id, { ifMatch: last })).status, 204);
  });

  test('an update of one version whose answer is lost is not repeated, and a deletion is', async () => {
    const { data: read } = await roster.contacts.create({ name: 'Lost', email: 'lost@example.com' });
    const { roster: unlucky, retries } = await clientThrough(server, ['drop answer', 'drop answer']);
    const lost = await rejectionOf(unlucky.contacts.update(read.id, { name: 'Found' }, { ifMatch: read }));
    assert.ok(lost instanceof ConnectionError);
    assert.deepEqual([lost.isOutcomeUnknown, retries.length], [true, 0]);
    const { data: updated } = await roster.contacts.retrieve(read.id);
    assert.equal(updated.name, 'Found');
    assert.equal((await unlucky.contacts.delete(read.id, { ifMatch: updated })).status, 204);
    assert.equal(retries.length, 1);
  });

  test('a contact that was read can be sent back unchanged', async () => {
    const { data } = await roster.contacts.create({ name: 'Back', email: 'back@example.com' });
    assert.deepEqual((await roster.contacts.update(data.id, data)).data, data);
    assert.equal((await roster.contacts.upsert([data])).data[0]?.id, data.id);
  });

  test('upsert says what became of each contact with include', async () => {
    const rows = [{ email: 'outcome@example.com', name: 'Outcome' }];
    const outcomesOf = async () => {
      const { data } = await roster.contacts.upsert(rows, { include: ['outcome'] });
      return data.map(({ outcome }) => outcome);
    };
    assert.deepEqual([await outcomesOf(), await outcomesOf()], [['created'], ['unchanged']]);
  });

  test('upsert resolves with a row for each contact', async () => {
    const { status, data } = await roster.contacts.upsert([
      { email: 'a@example.com', name: 'A' },
      { email: 'b@example.com', name: 'B' },
    ]);
    assert.equal(status, 200);
    assert.deepEqual(
      data.map(({ index }) => index),
      [0, 1],
    );
    assert.equal((await roster.contacts.retrieve(data[1]?.id ?? '')).data.email, 'b@example.com');
  });

  test('search resolves with contacts and pagination', async () => {
    await roster.contacts.upsert([1, 2, 3].map((n) => ({ email: `page${n}@example.com`, name: `Page ${n}` })));
    const { status, data, pagination } = await roster.contacts.search({ query: 'page', limit: 2, page: 2 });
    assert.deepEqual([status, data.map(({ name }) => name)], [200, ['Page 1']]);
    assert.deepEqual([pagination.total, pagination.page, pagination.totalPages], [3, 2, 2]);
    assert.ok((await roster.contacts.search()).pagination.total >= 3);
  });

  test('search asks for a total of now with isFresh', async () => {
    const sent: (string | null)[] = [];
    const watched = clientOf(server, {
      fetch: (url, init) => {
        sent.push(new Headers(init?.headers).get('cache-control'));
        return fetch(url, init);
      },
    });
    await watched.contacts.search({ query: 'jane' });
    await watched.contacts.search({ query: 'jane' }, { isFresh: true });
    assert.deepEqual(sent, [null, 'no-cache']);
  });

  test('export resolves with a page and the cursor of the next one', async () => {
    const first = await roster.contacts.export({ limit: 1 });
    assert.deepEqual([first.status, first.data.length], [200, 1]);
    const second = await roster.contacts.export({ limit: 1, after: first.next ?? '' });
    assert.notEqual(second.data[0]?.id, first.data[0]?.id);
    assert.equal((await roster.contacts.export()).next, null);
  });

  test('a query with special characters finds the contact that contains them', async () => {
    const odd = '100%_&=+#?/\\"\'<>;:@€😀 ß';
    const { data } = await roster.contacts.create({ name: odd, email: 'odd@example.com' });
    for (const query of [odd, '%_&=+#?/\\', '😀', 'ss']) {
      assert.deepEqual((await roster.contacts.search({ query: `${query} odd@` })).data, [data], query);
    }
    assert.equal((await roster.contacts.search({ query: '\0' })).pagination.total, 0);
  });

  test('an id with special characters is not found', async () => {
    for (const id of ['con_/../x', '%2e%2e', 'a/b', 'a?b#c', '😀', ' ', 'x'.repeat(2000)]) {
      assert.ok((await rejectionOf(roster.contacts.retrieve(id))) instanceof NotFoundError, id);
    }
  });

  test('a rejection carries status and error, the problem document', async () => {
    const error = await rejectionOf(roster.contacts.retrieve('con_nobody'));
    assert.ok(error instanceof NotFoundError);
    assert.equal(error.status, 404);
    assert.equal(error.error?.code, 'not_found');
    assert.equal(error.error.requestId, error.requestId);
    assert.equal(error.operation, 'contacts.retrieve');
    assert.equal(error.isOutcomeUnknown, false);
    assert.match(error.message, /^contacts\.retrieve: 404 not_found: This bot has no such contact.*\(request req-/);
  });

  test('the error for a taken email names the contact that has it', async () => {
    const { data: holder } = await roster.contacts.create({ name: 'Holder', email: 'holder@example.com' });
    const { data: other } = await roster.contacts.create({ name: 'Other', email: 'other@example.com' });
    const attempts = [
      roster.contacts.create({ name: 'Again', email: 'HOLDER@example.com' }),
      roster.contacts.update(other.id, { email: 'holder@example.com' }),
    ];
    for (const attempt of attempts) {
      const error = await rejectionOf(attempt);
      assert.ok(error instanceof EmailTakenError);
      assert.deepEqual([error.status, error.code, error.contactId], [400, 'email_taken', holder.id]);
    }
  });

  test('a validation error lists every invalid field', async () => {
    const error = await rejectionOf(roster.contacts.create({ name: '', email: 'nobody', wid: '1' }));
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(error.errors.map(({ field }) => field).sort(), ['email', 'name', 'wid']);
    const upsert = await rejectionOf(
      roster.contacts.upsert([{ email: 'fine@example.com', name: 'Fine' }, { email: 'bad' }]),
    );
    assert.ok(upsert instanceof ValidationError);
    assert.deepEqual(upsert.errors[0]?.index, 1);
  });

  test('too many contacts, a query that is too long and a wrong secret have error classes of their own', async () => {
    const many = Array.from({ length: 1001 }, (_, n) => ({ email: `many${n}@example.com`, name: 'Many' }));
    assert.ok((await rejectionOf(roster.contacts.upsert(many))) instanceof TooManyContactsError);
    const long = await rejectionOf(roster.contacts.search({ query: 'x'.repeat(20_000) }));
    assert.ok(long instanceof HeadersTooLargeError);
    const stranger = clientOf(server, { secret: `rst_${'0'.repeat(46)}` });
    assert.ok((await rejectionOf(stranger.contacts.search())) instanceof UnauthorizedError);
  });

  test('another bot of the organization is reached by the same secret, and one of another organization is not', async () => {
    const theirs = roster.withOptions({ botId: server.theirs.bot.id });
    assert.ok((await rejectionOf(theirs.contacts.search())) instanceof NotFoundError);
    assert.equal(theirs.withOptions({ botId: server.mine.bot.id }).botId, roster.botId);
    assert.equal((await roster.withOptions({ botId: server.mine.bot.id }).contacts.search()).status, 200);
  });
});

suite('the limits of the server', () => {
  test('a body that is too large rejects with BodyTooLargeError', async (t) => {
    const server = await startServer(t, { config: { bodyLimitBytes: 1024 } });
    const error = await rejectionOf(
      clientOf(server).contacts.create({ name: 'x'.repeat(2000), email: 'x@example.com' }),
    );
    assert.ok(error instanceof BodyTooLargeError);
  });

  test('the error of a rate limit says how long to wait', async (t) => {
    const server = await startServer(t, { config: { rateLimitPerMinute: 1 } });
    const roster = clientOf(server, { maxRetries: 0 });
    await roster.contacts.search();
    const error = await rejectionOf(roster.contacts.search());
    assert.ok(error instanceof RateLimitedError);
    assert.equal(error.retryAfterMs, 60_000);
  });

  test('a server that is stopping writes nothing, and the error says so', async (t) => {
    const server = await startServer(t);
    server.app.beginStop();
    const error = await rejectionOf(
      clientOf(server, { maxRetries: 0 }).contacts.create({ name: 'Late', email: 'late@example.com' }),
    );
    assert.ok(error instanceof UnavailableError);
    assert.deepEqual([error.status, error.retryAfterMs, error.isOutcomeUnknown], [503, 1000, false]);
  });
});
