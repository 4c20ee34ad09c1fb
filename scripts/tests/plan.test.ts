// No test file is left out of everything, and none runs twice on an engine.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { suite, test } from 'node:test';
import { type EngineName, planOf, selections } from './plan.ts';

const filesOf = (args: string[], engine: EngineName) =>
  planOf(args, {})
    .jobs.filter((job) => job.engine === engine)
    .flatMap(({ files }) => files)
    .toSorted();

suite('the plan of the tests', () => {
  test('has each file once, in npm test or in the rest', () => {
    const all = globSync(['{packages,bench,scripts,examples}/**/*.test.ts', '*.test.ts'], {
      exclude: ['**/node_modules/**'],
    });
    assert.deepEqual([...filesOf([], 'sqlite'), ...filesOf(['--rest'], 'sqlite')].toSorted(), all.toSorted());
    assert.deepEqual(filesOf(['--all'], 'sqlite'), all.toSorted());
  });

  test('has each HTTP test on PostgreSQL too, except for the matrices', () => {
    const http = globSync(['packages/server/src/operations/*.test.ts', 'packages/server/test/http/*.test.ts']);
    const onPostgres = [...filesOf([], 'postgres'), ...filesOf(['--rest'], 'postgres')];
    assert.equal(new Set(onPostgres).size, onPostgres.length, 'none twice');
    assert.deepEqual(filesOf(['--all'], 'postgres'), onPostgres.toSorted());
    const missing = http.filter((file) => !onPostgres.includes(file)).map((file) => file.split('/').at(-1));
    assert.deepEqual(missing.toSorted(), ['credentials.test.ts', 'permissions.test.ts', 'privacy.test.ts']);
  });

  test('names no file that is not there', () => {
    for (const pattern of selections) assert.ok(globSync(pattern).length > 0, pattern);
  });

  test('asks for Chromium alone in npm test', () => {
    assert.deepEqual(
      planOf([], {}).programs.map(({ name }) => name),
      ['Chromium'],
    );
    assert.equal(planOf(['--rest'], {}).programs.length, 4);
  });

  test('runs a named file alone, on every engine or on the chosen one', () => {
    const file = 'packages/server/src/operations/contacts.test.ts';
    const engines = (env: Record<string, string>) => planOf([file], env).jobs.map(({ engine }) => engine);
    assert.deepEqual(engines({}), ['sqlite', 'postgres']);
    assert.deepEqual(engines({ ROSTER_TEST_ENGINE: 'postgres' }), ['postgres']);
    assert.throws(() => planOf(['packages/nothing.test.ts'], {}), /No test matches packages\/nothing\.test\.ts/);
    assert.throws(() => planOf([], { ROSTER_TEST_ENGINE: 'mysql' }), /Set it to sqlite or postgres/);
  });
});
