// The operator's operations beside a running server: by its socket, and in force at once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, type TestContext, test } from 'node:test';
import { createEmptyDatabase } from '../../../server/test/postgres/databases.ts';
import { callFirstBot, type Home, makeHome, startFirst } from '../../../server/test/process/server-process.ts';
import { until } from '../../../server/test/process/waiting.ts';
import { openOperator } from '../../src/operator/open-operator.ts';
import { configOf, databaseConfig, makeFolder, open } from './setup.ts';

const socketOf = (home: Home) => join(home.dataDir, 'roster.sock');

async function startWithOperator(t: TestContext) {
  const home = await makeHome(t);
  const server = await startFirst(home);
  const operator = await open(t, configOf(home.folder));
  return { home, server, operator };
}

suite('beside a running server', () => {
  test('the server does the work, and every change is in force at once', async (t) => {
    const { server, operator } = await startWithOperator(t);
    const { firstRun, url } = server;
    const call = (secret: string, botId = firstRun.botId) =>
      callFirstBot(url, { ...firstRun, secret, botId }, 'GET', 'contacts');
    const widget = async () =>
      ((await (await fetch(`${url}/v1/bots/${firstRun.botId}/widget`)).json()) as { data: { name: string } }).data;
    assert.equal(operator.via, 'server');

    const { secret, ...state } = await operator.createSecret(firstRun.organizationId, { name: 'Second' });
    assert.equal((await call(secret)).status, 200);
    // The answer above is cached for half a second: the next one must not be.
    await operator.revokeSecret(state);
    assert.equal((await call(secret)).status, 401);
    assert.equal((await call(firstRun.secret)).status, 200);

    assert.equal((await widget()).name, 'My bot');
    const changed = await operator.updateBot({ ...firstRun, id: firstRun.botId }, { name: 'Renamed' });
    assert.equal(changed.name, 'Renamed');
    assert.equal((await widget()).name, 'Renamed');

    const bot = await operator.createBot(firstRun.organizationId, { name: 'Another' });
    assert.equal((await call(firstRun.secret, bot.id)).status, 200);
    await operator.deleteBot(bot);
    assert.equal((await call(firstRun.secret, bot.id)).status, 404);
    assert.deepEqual(
      (await operator.listBots()).map(({ id }) => id),
      [firstRun.botId],
    );
  });

  test('answers and errors are the same as without a server', async (t) => {
    const { server, operator } = await startWithOperator(t);
    const { organizationId } = server.firstRun;
    const { secret: _, ...state } = await operator.createSecret(organizationId, { name: ' Second ' });
    assert.deepEqual(Object.keys(state).toSorted(), [
      'bots',
      'createdAt',
      'createdBy',
      'createdById',
      'expiresAt',
      'id',
      'lastUsedAt',
      'name',
      'organizationId',
      'permissions',
      'prefix',
      'revokedAt',
    ]);
    const missing = { name: 'OperatorError', code: 'not_found' };
    const { link } = await operator.inviteMember(organizationId, { email: 'jane@example.com', role: 'owner' });
    assert.match(link, /^http\S+\/console#\/link\/[\w-]{43}$/);
    assert.deepEqual(await operator.listMembers(), []);
    const unknownMember = { organizationId, id: state.id.replace('sec_', 'mem_') };
    await assert.rejects(operator.resetPassword(unknownMember), missing);
    await assert.rejects(operator.removeMember(unknownMember), missing);
    const [first, second] = await operator.listSecrets(organizationId);
    assert.deepEqual(second, state);
    assert.equal(first?.name, 'First secret');
    const unknown = { organizationId, id: state.id.replace('sec_', 'bot_') };
    await assert.rejects(operator.updateBot(unknown, { name: 'Nobody' }), missing);
    await assert.rejects(operator.deleteBot(unknown), missing);
    await assert.rejects(operator.createOrganization(''), {
      name: 'OperatorError',
      code: 'invalid_request',
      message: 'name must not be empty.',
    });
    await assert.rejects(operator.listBots(state.id.replace('sec_', 'org_')), missing);
    await assert.rejects(operator.createOrganization('x'.repeat(100_000)), {
      code: 'invalid_request',
      message: /^name must be at most \d+ characters long/,
    });
  });

  test('changes are logged by their ids, and no secret and no name', async (t) => {
    const { server, operator } = await startWithOperator(t);
    const { id } = await operator.createOrganization('canary');
    const { secret, ...state } = await operator.createSecret(id, { name: 'canary' });
    await operator.revokeSecret(state);
    await server.stop();
    const lines = server.output.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const changes = lines.filter(({ operation }) => operation !== undefined);
    assert.deepEqual(
      changes.map(({ level, operation, organizationId, secretId }) => ({ level, operation, organizationId, secretId })),
      [
        { level: 30, operation: 'operator.organizations.create', organizationId: id, secretId: undefined },
        { level: 30, operation: 'operator.secrets.create', organizationId: id, secretId: state.id },
        { level: 30, operation: 'operator.secrets.revoke', organizationId: id, secretId: state.id },
      ],
    );
    assert.doesNotMatch(server.output.stderr, /rst_|canary/);
    assert.ok(!server.output.stdout.includes(secret));
  });
});

suite('the operator’s socket', () => {
  test('is closed to other users, and gone when the server has stopped', async (t) => {
    const { home, server, operator } = await startWithOperator(t);
    assert.equal((statSync(socketOf(home)).mode & 0o777).toString(8), '600');
    await server.stop();
    assert.equal(existsSync(socketOf(home)), false);
    await assert.rejects(operator.listBots(), {
      name: 'StoreUnavailableError',
      message: /stopped before it responded\. Nothing was changed/,
    });
    const later = await open(t, configOf(home.folder));
    assert.equal(later.via, 'store');
  });

  test('that a killed server left is no server, and is replaced by that of the next one', async (t) => {
    const { home, server } = await startWithOperator(t);
    await server.stop('SIGKILL');
    assert.ok(lstatSync(socketOf(home)).isSocket());
    const alone = await openOperator(configOf(home.folder));
    assert.equal(alone.via, 'store');
    await alone.close();
    const second = await home.start();
    assert.equal((await open(t, configOf(home.folder))).via, 'server');
    await second.stop();
  });

  test('is found while the server is still starting', async (t) => {
    const home = await makeHome(t);
    const first = await startFirst(home);
    await first.stop();
    const log = join(home.dataDir, 'roster.db-wal');
    assert.ok(!existsSync(log));
    const starting = home.start();
    await until('the server to have the folder', () => existsSync(log));
    assert.equal((await open(t, configOf(home.folder), { patienceMs: 300_000 })).via, 'server');
    await starting;
  });

  test('of a data folder with a long path is reached by way of the working folder', async (t) => {
    const home = await makeHome(t);
    const name = 'deep'.repeat(20);
    await startFirst(home, { env: { ROSTER_DATA_DIR: name } });
    assert.ok(lstatSync(join(home.folder, name, 'roster.sock')).isSocket());
    // From that folder, as from a shell: the tests run in another.
    const script = `
      import { loadConfig } from ${JSON.stringify(import.meta.resolve('@roster/server/operator'))};
      import { openOperator } from ${JSON.stringify(import.meta.resolve('../../src/operator/open-operator.ts'))};
      const operator = await openOperator(loadConfig({ ROSTER_DATA_DIR: ${JSON.stringify(name)} }, {}));
      console.log(operator.via, (await operator.listBots()).length);`;
    const options = { cwd: home.folder, encoding: 'utf8' } as const;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], options);
    assert.equal(stdout, 'server 1\n', stderr);
  });

  test('is left out, and the log says so, where its path is too long in any case', async (t) => {
    const home = await makeHome(t);
    const long = join('deep'.repeat(20), 'deep'.repeat(20));
    const server = await startFirst(home, { env: { ROSTER_DATA_DIR: long } });
    await until('the line of the log', () => /is too long for a socket path/.test(server.output.stderr));
    assert.equal((await callFirstBot(server.url, server.firstRun, 'GET', 'contacts')).status, 200);
    const opening = openOperator(configOf(home.folder, { ROSTER_DATA_DIR: long }), { patienceMs: 0 });
    await assert.rejects(opening, { name: 'StoreInUseError', message: /check its log\. Then stop it/ });
  });

  test('does not replace a file that is not a socket', async (t) => {
    const home = await makeHome(t);
    await mkdir(home.dataDir);
    await writeFile(socketOf(home), 'mine');
    const server = await startFirst(home);
    await until('the line of the log', () => /no operator socket/.test(server.output.stderr));
    assert.equal(statSync(socketOf(home)).size, 4);
  });

  test('answers nothing but the operator’s operations', async (t) => {
    const { home, server } = await startWithOperator(t);
    const { botId, secret } = server.firstRun;
    const ask = async (path: string): Promise<number | undefined> => {
      const headers = { authorization: `Bearer ${secret}` };
      const sent = request({ socketPath: socketOf(home), path, headers, agent: false }).end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await text(response);
      return response.statusCode;
    };
    const paths = [
      '/',
      '/healthz',
      '/metrics',
      '/openapi.json',
      '/console',
      '/__proto__',
      `/v1/bots/${botId}/contacts`,
    ];
    for (const path of paths) assert.equal(await ask(path), 404, path);
    assert.equal(await ask('/v1/operator/secrets'), 200);
  });
});

suite('a server that ends while it is asked', () => {
  test('is distinguished from one that answered, and the command does not wait for it', async (t) => {
    const config = configOf(await makeFolder(t));
    await mkdir(config.dataDir);
    const server = createServer((request, response) => {
      if (request.method === 'GET') response.end(JSON.stringify({ data: { version: '0' } }));
      else response.write('{"progress":{"done":1,"total":2}}\n{"data', () => response.destroy());
    }).listen(join(config.dataDir, 'roster.sock'));
    t.after(() => server.close());
    await once(server, 'listening');
    const operator = await open(t, config);
    const progress: number[] = [];
    await assert.rejects(operator.backup('/nowhere/backup.db', { onProgress: (done) => progress.push(done) }), {
      name: 'StoreUnavailableError',
      message: /stopped before it responded\. Check whether the change was made/,
    });
    assert.deepEqual(progress, [1]);
  });

  test('of a version that does not know the operator’s operations is not asked', async (t) => {
    const config = configOf(await makeFolder(t));
    await mkdir(config.dataDir);
    const server = createServer((_, response) => response.writeHead(404).end('{}'));
    server.listen(join(config.dataDir, 'roster.sock'));
    t.after(() => server.close());
    await once(server, 'listening');
    await assert.rejects(openOperator(config), { code: 'refused', message: /^The running server .* does not support/ });
  });
});

suite('servers on PostgreSQL', () => {
  test('have no socket, and follow an operator’s change within a second', async (t) => {
    const home = await makeHome(t);
    const config = await databaseConfig(t, await createEmptyDatabase());
    const env = { DATABASE_URL: config.database?.url as string };
    const server = await startFirst(home, { env });
    t.after(() => server.stop());
    assert.equal(existsSync(home.dataDir), false);
    const operator = await openOperator(config);
    try {
      const { secret, ...state } = await operator.createSecret(server.firstRun.organizationId, { name: 'Second' });
      const status = async () =>
        (await callFirstBot(server.url, { ...server.firstRun, secret }, 'GET', 'contacts')).status;
      assert.equal(await status(), 200);
      await operator.revokeSecret(state);
      const revokedAtMs = performance.now();
      await until('the secret to be refused', async () => {
        const askedAfterMs = performance.now() - revokedAtMs;
        const isRefused = (await status()) === 401;
        assert.ok(isRefused || askedAfterMs < 1000, 'a revoked secret worked for more than a second');
        return isRefused;
      });
    } finally {
      await operator.close();
      await server.stop();
    }
  });
});
