// Lists that are far longer than any that is meant: refused by their length, with few words, and before what is in them is looked at.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { limits } from '@roster/contract';
import { consoleOrigin, signInAs } from '../console-client.ts';
import { codeOf, startServer } from '../harness.ts';
import { wholeFile } from './every-operation.ts';

const server = await startServer(wholeFile);
const { call } = server;

const jane = { name: 'Jane Doe', email: 'jane@example.com' };
const empty = (count: number) => Array.from({ length: count }, () => '');
const manyAttributes = Object.fromEntries(empty(5000).map((_, at) => [`k${at}`, at]));

suite('a list that is too long is one fault', () => {
  const cases: [what: string, method: string, path: string, body: unknown, field: string][] = [
    ['tags of a contact', 'PUT', 'contacts', { ...jane, tags: empty(10_000) }, 'tags'],
    ['tags to add', 'PUT', 'contacts', { ...jane, addTags: empty(1001) }, 'addTags'],
    ['tags to remove', 'PUT', 'contacts', { ...jane, removeTags: empty(1001) }, 'removeTags'],
    ['tags in a large body', 'PUT', 'contacts', { ...jane, tags: empty(100_000) }, 'tags'],
    ['tags of an item', 'PATCH', 'contacts', { data: [{ ...jane, tags: empty(2000) }] }, 'tags'],
    ['tags of an item in a large body', 'PATCH', 'contacts', { data: [{ ...jane, tags: empty(130_000) }] }, 'data'],
    ['tags of a segment', 'PUT', 'segments/many', { label: 'Many', filter: { tag: empty(80_000) } }, 'filter'],
    ['few tags too many', 'PUT', 'segments/many', { label: 'Many', filter: { tag: empty(51) } }, 'filter.tag'],
    [
      'values of a segment',
      'PUT',
      'segments/many',
      { label: 'Many', filter: { attributes: { plan: empty(8000) } } },
      'filter.attributes.plan',
    ],
    ['attributes of a contact', 'PUT', 'contacts', { ...jane, attributes: manyAttributes }, 'attributes'],
    ['attributes of an item', 'PATCH', 'contacts', { data: [{ ...jane, attributes: manyAttributes }] }, 'attributes'],
  ];
  for (const [what, method, path, body, field] of cases) {
    test(what, async () => {
      const reply = await call(method, path, { body });
      assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
      assert.deepEqual(
        reply.json.errors.map((fault: { field: string }) => fault.field),
        [field],
      );
      assert.ok(reply.text.length < 1000);
    });
  }

  test('origins, channels and greetings of a bot', async () => {
    const { page } = await signInAs(server, 'owner');
    const body = {
      allowedOrigins: empty(5000),
      channels: empty(5000),
      greetings: Object.fromEntries(empty(2000).map((_, at) => [`k${at}`, ''])),
    };
    const path = `/v1/account/bots/${server.mine.bot.id}`;
    const reply = await call('PATCH', path, {
      token: null,
      body,
      headers: { ...page.headers(), origin: consoleOrigin },
    });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
    assert.deepEqual(reply.json.errors.map((fault: { field: string }) => fault.field).sort(), [
      'allowedOrigins',
      'channels',
      'greetings',
    ]);
  });
});

suite('faults', () => {
  const wrong = Array.from({ length: 300 }, () => ({ email: 'jane', wid: 'x' }));

  test('are a hundred at most, and the answer says that there are more', async () => {
    const reply = await call('PATCH', 'contacts', { body: { data: wrong } });
    assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
    assert.equal(reply.json.errors.length, limits.faultsReported);
    assert.equal(reply.json.errorsTruncated, true);
    assert.match(reply.json.detail, /and many more/);
  });

  test('of one contact are a hundred at most', async () => {
    const reply = await call('PUT', 'contacts', { body: { ...jane, tags: empty(150) } });
    assert.deepEqual([reply.json.errors.length, reply.json.errorsTruncated], [limits.faultsReported, true]);
  });

  test('that are no more than a hundred are all there', async () => {
    const reply = await call('PATCH', 'contacts', { body: { data: wrong.slice(0, 50) } });
    assert.equal(reply.json.errors.length, limits.faultsReported);
    assert.equal(reply.json.errorsTruncated, undefined);
  });

  test('of items that are skipped name each of them, and then no more than its first', async () => {
    const data = [...wrong, { name: 'John Doe', email: 'john@example.com' }];
    const reply = await call('PATCH', 'contacts?onError=skip', { body: { data } });
    assert.equal(reply.status, 200);
    assert.deepEqual(
      reply.json.data.map((row: { index: number }) => row.index),
      [300],
    );
    assert.deepEqual([...new Set(reply.json.errors.map((fault: { index: number }) => fault.index))], [...wrong.keys()]);
    assert.equal(reply.json.errorsTruncated, true);
    assert.ok(reply.json.errors.length <= limits.faultsReported + wrong.length);
  });
});

suite('text that is far too long', () => {
  const cases: [field: string, value: string][] = [
    ['wid', `+${'-'.repeat(60_000)}15550100123`],
    ['name', ' \u0301'.repeat(30_000)],
    ['email', `${'a'.repeat(60_000)}@example.com`],
    ['phone', '\u0001'.repeat(60_000)],
  ];
  for (const [field, value] of cases) {
    test(`in ${field} is one fault`, async () => {
      const reply = await call('PUT', 'contacts', { body: { ...jane, [field]: value } });
      assert.deepEqual(
        reply.json.errors.map((fault: { field: string }) => fault.field),
        [field],
      );
    });
  }
});

suite('a name that is far too long is not repeated whole', () => {
  const name = 'k'.repeat(100_000);
  const cases: [what: string, method: string, path: string, body: unknown][] = [
    ['an attribute of a contact', 'PUT', 'contacts', { ...jane, attributes: { [name]: 1 } }],
    ['an attribute of a filter', 'PUT', 'segments/many', { label: 'Many', filter: { attributes: { [name]: ['x'] } } }],
    ['a field of a form', 'POST', 'auth/contact', `${name}=1&${name}=2`],
  ];
  for (const [what, method, path, body] of cases) {
    test(what, async () => {
      const isForm = typeof body === 'string';
      const headers = isForm ? { 'content-type': 'application/x-www-form-urlencoded' } : undefined;
      const reply = await call(method, path, { body, ...(headers && { headers }) });
      assert.deepEqual(codeOf(reply), [400, 'invalid_request']);
      assert.ok(reply.text.length < 1500, reply.text.slice(0, 2000));
    });
  }
});

test('a WhatsApp number with many separators is one', async () => {
  const wid = `+1 (555) ${' '.repeat(200)} 010-0123`;
  const reply = await call('PUT', 'contacts', { body: { ...jane, wid } });
  assert.equal(reply.json.data.wid, '+15550100123');
});
