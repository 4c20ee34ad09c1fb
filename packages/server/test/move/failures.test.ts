// A move that cannot be done, or is broken off: one clear reason, nothing left behind, and a second try succeeds.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import type { Archive, NewArchive } from '../../src/store/archive.ts';
import { MoveError, move } from '../../src/store/move.ts';
import type { MoveDirection } from '../../src/store/open.ts';
import { fillPostgres } from '../../src/store/postgres/archive.ts';
import { readSqlite } from '../../src/store/sqlite/archive.ts';
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { StoreOpenError } from '../../src/store/store.ts';
import { sqliteUnderLoad } from '../conformance/engine.ts';
import { query } from '../postgres/databases.ts';
import { describeSchema } from '../postgres/describe-schema.ts';
import { sampleContext, sampleOrganization } from '../sample.ts';
import { wholeFile } from '../whole-file.ts';
import { answersOf, storeOddData } from './odd-data.ts';
import { makeSides, unwatched } from './sides.ts';

/** Filled once: each test has a copy. */
const filled = await fill();

async function fill() {
  const folder = mkdtempSync(join(tmpdir(), 'roster-filled-'));
  wholeFile.after(() => rmSync(folder, { recursive: true }));
  const store = await openSqliteStore({ folder, ...sqliteUnderLoad, readers: 1, onFatal: assert.fail });
  const data = await storeOddData(store);
  const answers = await answersOf(store, data);
  await store.close();
  return { folder, data, answers };
}

/** Odd data in the folder `first`. */
async function makeFilled(t: TestContext) {
  const sides = await makeSides(t);
  const { folder, data, answers } = filled;
  cpSync(folder, sides.folderOf('first'), { recursive: true });
  return { ...sides, data, answers };
}

const directions: MoveDirection[] = ['to-postgres', 'to-sqlite'];

/** One line, ending like a sentence. */
function says(pattern: RegExp, kind: new (message: string) => Error = MoveError) {
  return (error: Error) => {
    assert.ok(error instanceof kind, error.stack);
    assert.match(error.message, pattern);
    assert.match(error.message, /^[^\n]+\.$/);
    return true;
  };
}

suite('a target that is not empty', () => {
  test('in PostgreSQL is refused and left as it is', async (t) => {
    const { openPostgres, move, url } = await makeFilled(t);
    const organization = sampleOrganization();
    const postgres = await openPostgres();
    await postgres.createOrganization(organization, sampleContext());
    await postgres.close();
    await assert.rejects(move('to-postgres', 'first'), says(/already contains organizations/));
    assert.deepEqual(await query(url, 'SELECT id FROM organizations'), [{ id: organization.id }]);
  });

  test('in PostgreSQL, whose tables Citus has distributed, is refused', async (t) => {
    const { openPostgres, move, url } = await makeFilled(t);
    await (await openPostgres()).close();
    // What Citus keeps of a distributed table.
    await query(url, "CREATE TABLE pg_dist_partition AS SELECT 'contacts'::regclass AS logicalrelid");
    await assert.rejects(move('to-postgres', 'first'), says(/distributed by Citus.* docs\/operations\/citus\.sql/));
    await query(url, 'DROP TABLE pg_dist_partition');
    await move('to-postgres', 'first');
  });

  test('in SQLite is refused and left as it is', async (t) => {
    const { move, folderOf } = await makeFilled(t);
    await move('to-postgres', 'first');
    const path = join(folderOf('first'), 'roster.db');
    const hash = () => createHash('sha256').update(readFileSync(path)).digest('hex');
    const before = hash();
    await assert.rejects(move('to-sqlite', 'first'), says(/already contains data/));
    assert.equal(hash(), before);
  });

  test('which is a file of somebody else is refused and left as it is', async (t) => {
    const { move, folderOf, openSqlite } = await makeFilled(t);
    await move('to-postgres', 'first');
    await (await openSqlite('other')).close();
    const path = join(folderOf('other'), 'roster.db');
    writeFileSync(path, 'Dear diary');
    await assert.rejects(move('to-sqlite', 'other'), says(/already contains data/));
    assert.equal(readFileSync(path, 'utf8'), 'Dear diary');
  });

  test('is not what a new file without organizations is', async (t) => {
    const { move, openSqlite, answers, data } = await makeFilled(t);
    await move('to-postgres', 'first');
    await (await openSqlite('new')).close();
    await move('to-sqlite', 'new');
    assert.deepEqual(await answersOf(await openSqlite('new'), data), answers);
  });
});

suite('a source', () => {
  test('in SQLite that a server uses is refused', async (t) => {
    const { openSqlite, move } = await makeFilled(t);
    await openSqlite('first');
    await assert.rejects(
      move('to-postgres', 'first'),
      says(/^Another process is using the data folder/, StoreOpenError),
    );
  });

  test('in PostgreSQL that a server uses is refused', async (t) => {
    const { openPostgres, move, moveOnce, folderOf } = await makeFilled(t);
    await move('to-postgres', 'first');
    const postgres = await openPostgres();
    await postgres.ping();
    await assert.rejects(moveOnce('to-sqlite', 'second'), says(/^Servers are using PostgreSQL .*Stop them first/));
    assert.equal(existsSync(folderOf('second')), false);
  });

  test('that is not there, or holds nothing, is refused', async (t) => {
    const { move, openSqlite, folderOf } = await makeSides(t);
    await assert.rejects(move('to-postgres', 'nowhere'), says(/does not exist.*ROSTER_DATA_DIR/));
    assert.equal(existsSync(folderOf('nowhere')), false);
    await assert.rejects(move('to-sqlite', 'new'), says(/^There is nothing to move/));
    await (await openSqlite('empty')).close();
    await assert.rejects(move('to-postgres', 'empty'), says(/^There is nothing to move/));
  });
});

for (const direction of directions) {
  suite(`a move ${direction} that is broken off`, () => {
    for (const phase of ['moving', 'checking'] as const) {
      test(`while ${phase} leaves nothing, and a second one succeeds`, async (t) => {
        const sides = await makeFilled(t);
        const { move, folderOf, url } = sides;
        const target = direction === 'to-postgres' ? 'first' : 'second';
        if (direction === 'to-sqlite') await move('to-postgres', 'first');
        const schema = await describeSchema(url);
        const interruption = new AbortController();
        const brokenOff = move(direction, target, {
          signal: interruption.signal,
          begin: (begun) => begun === phase && interruption.abort(new MoveError('Interrupted.')),
        });
        await assert.rejects(brokenOff, says(/^Interrupted/));
        if (direction === 'to-postgres') {
          const tables = ['organizations', 'bots', 'secrets', 'bot_states', 'contacts', 'contact_tokens'];
          for (const table of tables) assert.deepEqual(await query(url, `SELECT FROM ${table}`), [], table);
          assert.equal(await describeSchema(url), schema, 'the index of the search is still there');
        } else {
          assert.deepEqual(readdirSync(folderOf('second')), ['roster.lock']);
        }
        await move(direction, target);
        const store = await (direction === 'to-postgres' ? sides.openPostgres() : sides.openSqlite('second'));
        assert.deepEqual(await answersOf(store, sides.data), sides.answers);
      });
    }
  });
}

test('what a killed move to SQLite has left is replaced by the next one', async (t) => {
  const { move, folderOf, openSqlite, data, answers } = await makeFilled(t);
  await move('to-postgres', 'first');
  await (await openSqlite('second')).close();
  for (const ending of ['', '-wal', '-journal']) {
    writeFileSync(join(folderOf('second'), `roster.db.incomplete${ending}`), 'half a database');
  }
  await move('to-sqlite', 'second');
  assert.deepEqual(readdirSync(folderOf('second')).toSorted(), ['roster.db', 'roster.lock']);
  assert.deepEqual(await answersOf(await openSqlite('second'), data), answers);
});

suite('a difference after the move fails it and undoes it:', () => {
  type Side = { source: Archive; target: NewArchive };
  const tampered: Record<string, (sides: Side) => Side> = {
    'a changed value': ({ source, target }) => ({
      source,
      target: {
        ...target,
        write: (table, [first = [], ...rest]) =>
          target.write(table, table === 'contacts' ? [first.with(2, 'Somebody else'), ...rest] : [first, ...rest]),
      },
    }),
    'a missing row': ({ source, target }) => ({
      source,
      target: { ...target, write: (table, rows) => target.write(table, table === 'secrets' ? rows.slice(1) : rows) },
    }),
    'a page that reading leaves out, on both sides': ({ source, target }) => ({
      source: {
        ...source,
        async *read(table) {
          for await (const rows of source.read(table)) yield table === 'contact_tokens' ? rows.slice(1) : rows;
        },
      },
      target,
    }),
  };
  for (const [name, tamper] of Object.entries(tampered)) {
    test(name, async (t) => {
      const { url, folderOf } = await makeFilled(t);
      const moved = readSqlite(folderOf('first'), (source) =>
        fillPostgres({ url, isMigrating: true }, (target) => {
          const sides = tamper({ source, target });
          return move(sides.source, sides.target, unwatched);
        }),
      );
      await assert.rejects(moved, says(/^The table (contacts|secrets|contact_tokens) differs/));
      assert.deepEqual(await query(url, 'SELECT FROM organizations'), []);
    });
  }
});
