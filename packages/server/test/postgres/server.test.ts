// The PostgreSQL of tests and tools ends with its owner, or is kept on request.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { query } from './databases.ts';
import { startPostgres } from './server.ts';

suite('a PostgreSQL server of ours', () => {
  test('is gone with its data when it is stopped', async () => {
    const server = await startPostgres();
    await server.stop();
    assert.equal(existsSync(dirname(server.dataDir)), false);
    await assert.rejects(query(server.url('postgres'), 'SELECT 1'));
  });

  test('that is kept has its databases, settings and users again at the next start', async (t) => {
    const keptIn = await mkdtemp(join(tmpdir(), 'roster-kept-'));
    let server = await startPostgres({ keptIn, settings: { work_mem: '5MB' } });
    // In this order: a folder in which a server still writes cannot be removed.
    t.after(async () => {
      await server.stop();
      await rm(keptIn, { recursive: true });
    });
    await query(server.url('postgres'), 'CREATE DATABASE ours');
    await query(server.url('ours'), 'CREATE TABLE rows AS SELECT 42 AS value');
    await server.stop();

    server = await startPostgres({ keptIn });
    assert.deepEqual(await query(server.url('ours'), 'SELECT value FROM rows'), [{ value: 42 }]);
    assert.deepEqual(await query(server.url('ours'), 'SHOW work_mem'), [{ work_mem: '5MB' }]);
    await query(server.superuserUrl('ours'), 'SELECT 1');
  });
});
