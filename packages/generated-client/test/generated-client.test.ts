// A client that openapi-typescript and openapi-fetch make of the OpenAPI document: its types compile, and it works.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { startServer } from '../../server/test/harness.ts';

const project = join(import.meta.dirname, '../../..');
const generator = join(
  dirname(createRequire(import.meta.url).resolve('openapi-typescript/package.json')),
  'bin/cli.js',
);

/** The strictest settings that a user may have. */
const compilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: ['node'],
  allowImportingTsExtensions: true,
};

test('a generated client creates, finds, reads, updates and deletes contacts, and knows errors', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-generated-'));
  t.after(() => rm(folder, { recursive: true }));
  const server = await startServer(t);
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, args, { cwd: folder }).catch(
      (error: Error & { stdout: string; stderr: string }) => {
        throw new Error(`${args[0]} failed: ${error.stdout}${error.stderr}`);
      },
    );

  const { text } = await server.call('GET', '/openapi.json', { token: null });
  await writeFile(join(folder, 'openapi.json'), text);
  await run(generator, 'openapi.json', '-o', 'schema.d.ts');
  await copyFile(join(import.meta.dirname, '../program/main.ts'), join(folder, 'main.ts'));
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }));
  await symlink(join(project, 'node_modules'), join(folder, 'node_modules'));
  await run(join(project, 'node_modules/typescript/bin/tsc'), '-p', '.');
  const { stdout } = await run('main.ts', server.url, server.mine.bot.id, server.mine.secret);

  const { created, ...seen } = JSON.parse(stdout);
  const { id, createdAt } = created;
  assert.deepEqual(created, {
    ...{ id, name: 'Jane Doe', email: 'jane@example.com', phone: '', mid: '', wid: '' },
    ...{ createdAt, updatedAt: createdAt },
  });
  const { updated, token, ...rest } = seen;
  assert.equal(updated.wid, '+15550100123');
  assert.match(token, /^c:/);
  assert.deepEqual(rest, {
    creation: [201, `/v1/bots/${server.mine.bot.id}/contacts/${id}`],
    found: [[id], 1],
    read: created,
    rows: [0],
    taken: [400, 'email_taken', id],
    deletion: 204,
    gone: [404, 'not_found'],
    settings: server.mine.bot.name,
  });
});
