// Which rooms of the server may import which: a circle and an import that is not allowed fail the lint.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { findFaults, type Rooms, readSources, rooms } from './layers.ts';

const table: Rooms = { low: [], 'low/inner': ['low'], high: ['low', 'pg'] };

const faultsOf = (path: string, text: string) => findFaults(table, [{ path, text }]);

suite('layers', () => {
  test("the server's sources import only what the table allows", () => {
    const sources = readSources();
    assert.ok(sources.some(({ path }) => path === 'http/access.ts'));
    assert.deepEqual(findFaults(rooms, sources), []);
  });

  test('every row of the table is a room that exists', () => {
    const paths = readSources().map(({ path }) => path);
    const missing = Object.keys(rooms).filter(
      (room) => !paths.some((path) => path === room || path.startsWith(`${room}/`)),
    );
    assert.deepEqual(missing, []);
  });

  test('every form of an import counts', () => {
    for (const text of [
      "import { a } from '../high/a.ts';",
      "import type { A } from '../high/a.ts';",
      "import {\n  a,\n  b,\n} from '../high/a.ts';",
      "import '../high/a.ts';",
      "export * from '../high/a.ts';",
      "const { a } = await import('../high/a.ts');",
      "type A = import('../high/a.ts').A;",
      "const a = await import(\n  '../high/a.ts'\n);",
    ]) {
      assert.deepEqual(faultsOf('low/b.ts', text), ['low/b.ts imports high/a.ts, but low may not import high.'], text);
    }
  });

  test('a room imports itself, the rooms of its row, and packages that are not guarded', () => {
    assert.deepEqual(faultsOf('high/a.ts', "import './b.ts';\nimport '../low/b.ts';\nimport 'pg';\nimport 'zod';"), []);
    assert.deepEqual(faultsOf('low/a.ts', "import 'pg';"), ['low/a.ts imports pg, but low may not import pg.']);
  });

  test('a room within a room has a row of its own', () => {
    assert.deepEqual(faultsOf('low/inner/a.ts', "import '../b.ts';"), []);
    const upward = faultsOf('low/b.ts', "import './inner/a.ts';");
    assert.deepEqual(upward, ['low/b.ts imports low/inner/a.ts, but low may not import low/inner.']);
  });

  test('a file without a room is reported', () => {
    assert.deepEqual(faultsOf('new/a.ts', ''), ['new/a.ts is in no room: give its folder a row in scripts/layers.ts.']);
  });

  test('a row that names a room below itself is reported, so that the table has no circle', () => {
    const circle: Rooms = { one: ['two'], two: ['one'] };
    assert.deepEqual(findFaults(circle, []), ['The row of one names two, which is not above it in the table.']);
  });
});
