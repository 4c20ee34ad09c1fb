// The single executable in a bare Debian: installed by the documented lines, used, stopped and started again; then as
// several processes on PostgreSQL.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { query } from '../../packages/server/test/postgres/databases.ts';
import { startPostgres } from '../../packages/server/test/postgres/server.ts';
import { makeBareRoot } from './bare-root.ts';
import { documentedCommands } from './documented.ts';
import { awaitService, createContact, findNames, readPages } from './service.ts';

const sizeMaxBytes = 130e6;

export async function testOneFile(file: string): Promise<string> {
  const { size } = statSync(file);
  assert.ok(size <= sizeMaxBytes, `the executable has ${size} bytes`);
  const root = makeBareRoot();
  const server = await startPostgres();
  try {
    root.add(file);
    const [commands = ''] = documentedCommands('One file');
    const env = { ROSTER_PORT: '0' };
    const first = await awaitService(root.start(commands, env), performance.now());
    const access = { url: first.url, botId: first.botId as string, secret: first.secret as string };
    await createContact(access, 'Jane');
    await readPages(first.url);
    assert.equal(await first.stop(), 0);

    const second = await awaitService(root.start('cd roster\nroster serve', env), performance.now());
    assert.equal(second.secret, undefined, 'the second start creates nothing');
    assert.deepEqual(await findNames({ ...access, url: second.url }), ['Jane']);
    assert.equal(await second.stop(), 0);

    await query(server.url('postgres'), 'CREATE DATABASE release');
    const shared = { ...env, DATABASE_URL: server.url('release') };
    const third = await awaitService(root.start('roster serve --workers 2', shared), performance.now());
    const sharedAccess = { url: third.url, botId: third.botId as string, secret: third.secret as string };
    await createContact(sharedAccess, 'Ann');
    assert.deepEqual(await findNames(sharedAccess), ['Ann']);
    assert.equal(await third.stop(), 0);
    return `${(size / 1e6).toFixed(1)} MB; ready in ${second.readyMs} ms with ${second.memoryMb} MB of memory`;
  } finally {
    await server.stop();
    root.remove();
  }
}
