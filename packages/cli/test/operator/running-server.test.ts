// The operator's operations beside a running server: by its socket, and in force at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { lastFirst } from '../../../server/test/last-first.ts';
import { createEmptyDatabase } from '../../../server/test/postgres/databases.ts';
import { makeHomeHere } from '../../../server/test/process/serve-here.ts';
import { callFirstBot, type Home, makeHome, startFirst } from '../../../server/test/process/server-process.ts';
import { until } from '../../../server/test/process/waiting.ts';
import { wholeFile } from '../../../server/test/whole-file.ts';
import { openOperator } from '../../src/operator/open-operator.ts';
import { afterFirstStart } from '../prepared-data.ts';
import { configOf, databaseConfig, makeFolder, open } from './setup.ts';

const socketOf = (home: Pick<Home, 'dataDir'>) => join(home.dataDir, 'roster.sock');

const home = await makeHome(wholeFile);
/** A process of its own: a test reads its log. */
const server = await startFirst(home);
const operator = await open(wholeFile, configOf(home.folder));

suite('beside a running server', () => {
  test('the server does the work, and every change is in force at once', async () => {
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

  test('answers and errors are the same as without a server', async () => {
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
    const secrets = await operator.listSecrets(organizationId);
    assert.deepEqual(secrets.at(-1), state);
    assert.equal(secrets[0]?.name, 'First secret');
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

  test('changes are logged by their ids, and no secret and no name', async () => {
    const { id } = await operator.createOrganization('canary');
    const { secret, ...state } = await operator.createSecret(id, { name: 'canary' });
    await operator.revokeSecret(state);
    await operator.renameOrganization(id, 'canary 2');
    const changes = () =>
      server.output.stderr
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .filter(({ operation, organizationId }) => operation !== undefined && organizationId === id);
    const last = 'operator.organization.update';
    await until('the last change in the log', () => changes().some(({ operation }) => operation === last));
    assert.deepEqual(
      changes().map(({ level, operation, secretId }) => ({ level, operation, secretId })),
      [
        { level: 30, operation: 'operator.organizations.create', secretId: undefined },
        { level: 30, operation: 'operator.secrets.create', secretId: state.id },
        { level: 30, operation: 'operator.secrets.revoke', secretId: state.id },
        { level: 30, operation: last, secretId: undefined },
      ],
    );
    assert.doesNotMatch(server.output.stderr, /rst_|canary/);
    assert.ok(!server.output.stdout.includes(secret));
  });
});

suite('the operator’s socket', () => {
  test('is closed to other users, and gone when the server has stopped', async (t) => {
    const home = await makeHomeHere(t);
    const server = await home.startFirst();
    const operator = await open(t, configOf(home.folder));
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
    const lifetime = lastFirst(t);
    const home = await makeHome(lifetime);
    const server = await startFirst(home);
    await server.stop('SIGKILL');
    assert.ok(lstatSync(socketOf(home)).isSocket());
    const alone = await openOperator(configOf(home.folder));
    assert.equal(alone.via, 'store');
    await alone.close();
    await (await makeHomeHere(lifetime)).start({ ROSTER_DATA_DIR: home.dataDir });
    assert.equal((await open(lifetime, configOf(home.folder))).via, 'server');
  });

  test('is found while the server is still starting', async (t) => {
    const home = await makeHome(t);
    await (await afterFirstStart()).copyTo(home.dataDir);
    const log = join(home.dataDir, 'roster.db-wal');
    assert.ok(!existsSync(log));
    const starting = home.start();
    await until('the server to have the folder', () => existsSync(log));
    assert.equal((await open(t, configOf(home.folder), { patienceMs: 300_000 })).via, 'server');
    await starting;
  });

  test('of a data folder with a long path is reached by way of the working folder', async (t) => {
    const home = await makeHomeHere(t);
    const settings = { ROSTER_DATA_DIR: 'deep'.repeat(20) };
    const config = configOf(home.folder, settings);
    const before = process.cwd();
    process.chdir(home.folder);
    try {
      const { stop } = await home.start(settings);
      assert.ok(lstatSync(join(config.dataDir, 'roster.sock')).isSocket());
      const operator = await open(t, config);
      assert.deepEqual([operator.via, (await operator.listBots()).length], ['server', 1]);
      await stop();
    } finally {
      process.chdir(before);
    }
  });

  test('is left out, and the log says so, where its path is too long in any case', async (t) => {
    const home = await makeHome(t);
    const settings = { ROSTER_DATA_DIR: join('deep'.repeat(20), 'deep'.repeat(20)) };
    const server = await startFirst(home, { env: settings });
    await until('the line of the log', () => /is too long for a socket path/.test(server.output.stderr));
    assert.equal((await callFirstBot(server.url, server.firstRun, 'GET', 'contacts')).status, 200);
    const opening = openOperator(configOf(home.folder, settings), { patienceMs: 0 });
    await assert.rejects(opening, { name: 'StoreInUseError', message: /check its log\. Then stop it/ });
  });

  test('does not replace a file that is not a socket', async (t) => {
    const home = await makeHomeHere(t);
    await mkdir(home.dataDir);
    await writeFile(socketOf(home), 'mine');
    const server = await home.startFirst();
    assert.equal((await callFirstBot(server.url, server.firstRun, 'GET', 'contacts')).status, 200);
    await server.stop();
    assert.equal(await readFile(socketOf(home), 'utf8'), 'mine');
  });

  test('answers nothing but the operator’s operations', async () => {
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
    const home = await makeHomeHere(t);
    const config = await databaseConfig(t, await createEmptyDatabase());
    const server = await home.startFirst({ DATABASE_URL: config.database?.url as string });
    assert.equal(existsSync(home.dataDir), false);
    const operator = await open(t, config);
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
  });
});
