// Upserting invalid rows, and runs that fail or are aborted, against the real server.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { clientOfNewBot, collect, rejectionOf, sampleContacts, startServer, wholeFile } from '../test/harness.ts';
import {
  AbortError,
  type ContactUpsert,
  type Fetch,
  type RowResult,
  UnauthorizedError,
  UnexpectedAnswerError,
  type UpsertAllOptions,
  UsageError,
  ValidationError,
} from './index.ts';

const server = await startServer(wholeFile);

/** Options that record the results. */
function recording(options: UpsertAllOptions = {}) {
  const results: RowResult[] = [];
  return { results, options: { ...options, onResults: (some: RowResult[]) => void results.push(...some) } };
}

/** A source that records how many rows were read and whether it was closed. */
function watched(rows: Iterable<ContactUpsert>, thenThrow?: Error) {
  const source = { isClosed: false, read: 0, [Symbol.iterator]: generate };
  function* generate() {
    try {
      for (const row of rows) {
        source.read++;
        yield row;
      }
      if (thenThrow !== undefined) throw thenThrow;
    } finally {
      source.isClosed = true;
    }
  }
  return source;
}

suite('rows that the service rejects', () => {
  test('are reported with their reasons, and the others are written', async () => {
    const roster = await clientOfNewBot(server);
    const rows = sampleContacts(30);
    rows[3] = { name: 'Bad', email: 'bad' };
    rows[14] = { name: '', email: 'person14@example.com', wid: '1' };
    rows[25] = { email: 'nameless@example.com' };
    const { results, options } = recording({ batchSize: 10 });
    const totals = await roster.contacts.upsertAll(rows, options);
    assert.deepEqual(totals, { rows: 30, upserted: 27, rejected: 3 });
    assert.deepEqual(
      results.map(({ index }) => index),
      rows.map((_, index) => index),
    );
    const rejected = results.filter((result) => result.outcome === 'rejected');
    assert.deepEqual(
      rejected.map(({ index, input, errors }) => [index, input, errors.map(({ index, field }) => [index, field])]),
      [
        [3, rows[3], [[3, 'email']]],
        [
          14,
          rows[14],
          [
            [14, 'name'],
            [14, 'wid'],
          ],
        ],
        [25, rows[25], [[25, 'name']]],
      ],
    );
    assert.match(rejected[0]?.errors[0]?.message ?? '', /must be an email address/);
    assert.equal((await roster.contacts.search()).pagination.total, 27);
  });

  test('include rows that depend on a rejected one: an update without a name whose creating row was rejected', async () => {
    const roster = await clientOfNewBot(server);
    const { results, options } = recording();
    const totals = await roster.contacts.upsertAll(
      [
        { email: 'jane@example.com', name: 'Jane', wid: 'not a number' },
        { email: 'jane@example.com', phone: '1' },
        { email: 'joe@example.com', name: 'Joe' },
      ],
      options,
    );
    assert.deepEqual(totals, { rows: 3, upserted: 1, rejected: 2 });
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ['rejected', 'rejected', 'upserted'],
    );
  });

  test('may be all of them', async () => {
    const roster = await clientOfNewBot(server);
    const totals = await roster.contacts.upsertAll(sampleContacts(20).map(() => ({ email: 'bad' })));
    assert.deepEqual(totals, { rows: 20, upserted: 0, rejected: 20 });
  });

  test('include values that are no contacts, and values that JSON cannot represent', async () => {
    const roster = await clientOfNewBot(server);
    const odd = [null, undefined, 7, 'jane', [], { email: 5 }, { email: 'big@example.com', name: 'Big', mid: 5n }];
    const { results, options } = recording();
    const totals = await roster.contacts.upsertAll([...sampleContacts(1), ...odd] as ContactUpsert[], options);
    assert.deepEqual(totals, { rows: 8, upserted: 1, rejected: 7 });
    assert.deepEqual(results.at(-1)?.outcome === 'rejected' && results.at(-1), {
      index: 7,
      outcome: 'rejected',
      errors: [{ index: 7, field: 'item', message: 'cannot be written as JSON' }],
      input: odd.at(-1),
    });
  });

  test("stop the run with invalidRows: 'stop', and the error has their positions in the source", async () => {
    const roster = await clientOfNewBot(server);
    const rows = sampleContacts(100);
    rows[25] = { name: 'Bad', email: 'bad' };
    const source = watched(rows);
    const { results, options } = recording({ batchSize: 10, concurrency: 1, invalidRows: 'stop' });
    const error = await rejectionOf(roster.contacts.upsertAll(source, options));
    assert.ok(error instanceof ValidationError);
    assert.deepEqual(
      error.errors.map(({ index, field }) => [index, field]),
      [[25, 'email']],
    );
    assert.match(error.message, /Invalid rows: row 25: email must be/);
    assert.equal(results.length, 20);
    assert.equal((await roster.contacts.search()).pagination.total, 20);
    assert.deepEqual([source.isClosed, source.read <= 40], [true, true]);
  });
});

suite('a server with a small body limit', () => {
  test('gets smaller requests, and a single row that is too large is reported', async (t) => {
    const small = await startServer(t, { config: { bodyLimitBytes: 2048 } });
    const roster = await clientOfNewBot(small);
    const rows = sampleContacts(100);
    rows[50] = { name: 'x'.repeat(3000), email: 'large@example.com' };
    const { results, options } = recording();
    const totals = await roster.contacts.upsertAll(rows, options);
    assert.deepEqual(totals, { rows: 100, upserted: 99, rejected: 1 });
    const rejected = results.find(({ outcome }) => outcome === 'rejected');
    assert.deepEqual(rejected?.outcome === 'rejected' && [rejected.index, rejected.errors[0]?.message], [
      50,
      'is larger than the server takes',
    ]);
    assert.deepEqual(
      (await collect(roster.contacts.iterate())).map(({ email }) => email),
      rows.filter((_, n) => n !== 50).map(({ email }) => email),
    );
  });
});

suite('a run that fails', () => {
  test('stops reading, delivers the results of what was written, and rejects with the error', async () => {
    let sent = 0;
    const revokedAfterThree: Fetch = (url, init) => {
      const headers = ++sent > 3 ? { ...init.headers, Authorization: 'Bearer rst_revoked' } : init.headers;
      return fetch(url, { ...init, headers });
    };
    const roster = await clientOfNewBot(server, { fetch: revokedAfterThree });
    const source = watched(sampleContacts(1000));
    const { results, options } = recording({ batchSize: 10, concurrency: 2 });
    const error = await rejectionOf(roster.contacts.upsertAll(source, options));
    assert.ok(error instanceof UnauthorizedError);
    assert.deepEqual([source.isClosed, source.read <= 60], [true, true]);
    assert.equal(results.length, 30);
  });

  test('also delivers the results of requests that succeed after the failure', async () => {
    const failed = Promise.withResolvers<void>();
    const firstFailsThenSecondIsSent: Fetch = async (url, init) => {
      const isFirst = init.body?.includes('person0@');
      if (!isFirst) await failed.promise;
      const answer = await fetch(url, isFirst ? { ...init, headers: {} } : init);
      if (isFirst) setImmediate(failed.resolve);
      return answer;
    };
    const roster = await clientOfNewBot(server, { fetch: firstFailsThenSecondIsSent });
    const { results, options } = recording({ batchSize: 10, concurrency: 2 });
    assert.ok((await rejectionOf(roster.contacts.upsertAll(sampleContacts(20), options))) instanceof UnauthorizedError);
    assert.deepEqual(
      results.map(({ index }) => index),
      [10, 11, 12, 13, 14, 15, 16, 17, 18, 19],
    );
  });

  test('rejects with the error of its source, after the results of all sent rows are delivered', async () => {
    const roster = await clientOfNewBot(server);
    const broken = new Error('the file is damaged');
    const { results, options } = recording({ batchSize: 10 });
    const error = await rejectionOf(roster.contacts.upsertAll(watched(sampleContacts(25), broken), options));
    assert.equal(error, broken);
    assert.equal(results.length, 20);
    assert.equal((await roster.contacts.search()).pagination.total, 20);
  });

  test('rejects with the error of a callback, which is not called again', async () => {
    const roster = await clientOfNewBot(server);
    const source = watched(sampleContacts(100));
    let calls = 0;
    const onResults = () => {
      calls++;
      throw new Error('the disk is full');
    };
    const error = await rejectionOf(roster.contacts.upsertAll(source, { batchSize: 10, concurrency: 3, onResults }));
    assert.match(String(error), /the disk is full/);
    assert.deepEqual([calls, source.isClosed], [1, true]);
  });

  test('rejects when an answer has other rows than were sent', async () => {
    const shortened: Fetch = async (url, init) => {
      const answer = await fetch(url, init);
      const { data } = JSON.parse(await answer.text()) as { data: unknown[] };
      return {
        ...answer,
        status: 200,
        headers: answer.headers,
        text: async () => JSON.stringify({ data: data.slice(1) }),
      };
    };
    const roster = await clientOfNewBot(server, { fetch: shortened });
    const error = await rejectionOf(roster.contacts.upsertAll(sampleContacts(3)));
    assert.ok(error instanceof UnexpectedAnswerError);
  });
});

suite('a run that is aborted', () => {
  test('ends at once, even when its source never yields another row', async () => {
    const roster = await clientOfNewBot(server);
    const controller = new AbortController();
    async function* stuck(): AsyncGenerator<ContactUpsert> {
      yield* sampleContacts(1);
      controller.abort('enough');
      await new Promise(() => {});
    }
    const error = await rejectionOf(roster.contacts.upsertAll(stuck(), { signal: controller.signal }));
    assert.ok(error instanceof AbortError);
    assert.deepEqual([error.cause, error.isOutcomeUnknown], ['enough', false]);
  });

  test('closes its source', async () => {
    const roster = await clientOfNewBot(server);
    const controller = new AbortController();
    let isClosed = false;
    const stuck: AsyncIterable<ContactUpsert> = {
      [Symbol.asyncIterator]: () => ({
        next() {
          controller.abort();
          return new Promise(() => {});
        },
        async return() {
          isClosed = true;
          return { done: true, value: undefined };
        },
      }),
    };
    assert.ok(
      (await rejectionOf(roster.contacts.upsertAll(stuck, { signal: controller.signal }))) instanceof AbortError,
    );
    assert.ok(isClosed);
  });

  test('ends the requests in flight, and none is left when it rejects', async () => {
    const controller = new AbortController();
    let [inFlight, sent] = [0, 0];
    const stalling: Fetch = (_url, { signal }) => {
      inFlight++;
      if (++sent === 2) setImmediate(() => controller.abort());
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          inFlight--;
          reject(signal.reason);
        });
      });
    };
    const roster = await clientOfNewBot(server, { fetch: stalling });
    const options = { batchSize: 10, concurrency: 2, signal: controller.signal };
    const error = await rejectionOf(roster.contacts.upsertAll(sampleContacts(100), options));
    assert.ok(error instanceof AbortError);
    assert.deepEqual([error.isOutcomeUnknown, inFlight, sent], [true, 0, 2]);
  });

  test('before it starts reads nothing', async () => {
    const roster = await clientOfNewBot(server);
    const source = watched(sampleContacts(1));
    const error = await rejectionOf(roster.contacts.upsertAll(source, { signal: AbortSignal.abort() }));
    assert.ok(error instanceof AbortError && !(error instanceof UsageError));
    assert.equal(source.read, 0);
  });
});
