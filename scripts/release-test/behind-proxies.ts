// Started by proxies.ts, in a network of its own: node behind-proxies.ts FOLDER EXECUTABLE. Prints what it has found.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import tls from 'node:tls';
import { parse } from 'yaml';
import { query } from '../../packages/server/test/postgres/databases.ts';
import { startPostgres } from '../../packages/server/test/postgres/server.ts';
import { until } from '../../packages/server/test/process/waiting.ts';
import { root } from '../release/bundle.ts';
import { domain, serverAddresses } from './proxies.ts';
import { restartInTurn } from './rolling-restart.ts';
import { type Access, awaitService, createContact, findNames, readPages, type Service } from './service.ts';

const [folder = '', executable = ''] = process.argv.slice(2);
const deploy = join(root, 'deploy');
const url = `https://${domain}`;
/** An address of this machine that neither a proxy nor a server has. */
const clientAddress = '127.0.9.9';
const claimedAddress = '203.0.113.7';
const started: ChildProcess[] = [];
// However this process ends, none of them is left.
process.on('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});

/** Whatever hangs, the test ends. */
const deadlineMs = 600_000;
setTimeout(() => {
  console.log('not done in time');
  process.exit(1);
}, deadlineMs).unref();

const postgres = await startPostgres();
try {
  const restarts = await testTwoServers();
  await testOneServer();
  console.log(`Caddy and nginx: contacts, console and widget through TLS, with the client's address. ${restarts}`);
} catch (error) {
  console.log((error as Error).stack);
  process.exitCode = 1;
} finally {
  await postgres.stop();
}
process.exit();

/** deploy/postgres, as its compose.yaml sets it up. */
async function testTwoServers(): Promise<string> {
  await query(postgres.url('postgres'), 'CREATE DATABASE shared');
  const settings = { ...settingsOfCompose(), DATABASE_URL: postgres.url('shared') };
  const start = (name: keyof typeof serverAddresses) => startServer(name, serverAddresses[name], settings);
  const servers = new Map([
    ['roster-1' as const, await start('roster-1')],
    ['roster-2' as const, await start('roster-2')],
  ]);
  const caddy = await startCaddy(join(deploy, 'postgres/Caddyfile'));
  const access = { url, ...readFirstSecret('roster-1') };
  await use(access, () => [...servers.values()].map(({ output }) => output()).join(''));
  const result = await restartInTurn(access, servers, start);
  for (const server of servers.values()) assert.equal(await server.stop(), 0);
  await stop(caddy);
  return result;
}

/** deploy/Caddyfile and deploy/nginx.conf, in front of one server with SQLite. */
async function testOneServer(): Promise<void> {
  const settings = { ROSTER_PUBLIC_URL: url, ROSTER_TRUST_PROXY: '1' };
  const server = await startServer('alone', '127.0.0.1', settings);
  const access = { url, ...readFirstSecret('alone') };
  const caddy = await startCaddy(join(deploy, 'Caddyfile'));
  await use(access, server.output);
  await stop(caddy);
  const nginx = await startNginx(join(deploy, 'nginx.conf'));
  await use(access, server.output);
  await stop(nginx);
  assert.equal(await server.stop(), 0);
}

/** What a visitor, a member and a server of a customer's would do, and what the log says about it. */
async function use(access: Access, log: () => string): Promise<void> {
  const name = `Jane ${performance.now()}`;
  await createContact(access, name.replaceAll(/\W/g, ''));
  assert.ok((await findNames(access)).length > 0);
  await readPages(url);
  assert.equal(await createFrom(clientAddress, access), 201);
  await until('the address of the client in the log', () => log().includes(`"address":"${clientAddress}"`));
  assert.ok(!log().includes(claimedAddress));
  const plain = await fetch(`http://${domain}/console`, { redirect: 'manual' });
  assert.match(`${plain.status} ${plain.headers.get('location')}`, new RegExp(`^30[18] ${url}/`));
}

/** From a given address of this machine, with a header that claims another one. */
async function createFrom(localAddress: string, { botId, secret }: Access): Promise<number | undefined> {
  const call = request(`${url}/v1/bots/${botId}/contacts`, {
    method: 'PUT',
    localAddress,
    agent: false,
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      'x-forwarded-for': claimedAddress,
    },
  });
  call.end(JSON.stringify({ name: 'Ann', email: `ann${performance.now()}@example.com` }));
  const [answer] = await once(call, 'response');
  answer.resume();
  return answer.statusCode;
}

function settingsOfCompose(): Record<string, string> {
  const compose = parse(readFileSync(join(deploy, 'postgres/compose.yaml'), 'utf8'), { merge: true });
  const { environment } = compose.services['roster-1'] as { environment: Record<string, string> };
  const entries = Object.entries(environment).filter(([name]) => name !== 'DATABASE_URL');
  return Object.fromEntries(entries.map(([name, value]) => [name, value.replace(/\$\{ROSTER_DOMAIN[^}]*\}/, domain)]));
}

function startServer(name: string, address: string, settings: Record<string, string>): Promise<Service> {
  const env = {
    ROSTER_HOST: address,
    ROSTER_DATA_DIR: join(folder, name),
    ROSTER_PRINT_SECRETS: 'false',
    ...settings,
  };
  const child = spawn(executable, ['serve'], { cwd: folder, env });
  started.push(child);
  return awaitService(child, performance.now());
}

function readFirstSecret(name: string): { botId: string; secret: string } {
  const text = readFileSync(join(folder, name, 'first-secret.txt'), 'utf8');
  const find = (pattern: RegExp) => pattern.exec(text)?.[0] as string;
  return { botId: find(/bot_\w+/), secret: find(/rst_\w+/) };
}

/** With certificates of an authority of its own, since no other would give one to this machine. */
async function startCaddy(file: string): Promise<ChildProcess> {
  const config = join(folder, 'Caddyfile');
  writeFileSync(config, `{\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n}\nimport ${file}\n`);
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, ROSTER_DOMAIN: domain };
  const args = ['--config', config, '--adapter', 'caddyfile'];
  execFileSync('caddy', ['validate', ...args], { env, stdio: 'pipe' });
  const caddy = startProxy('caddy', ['run', ...args], env);
  const authority = join(folder, 'caddy/pki/authorities/local/root.crt');
  await until('the authority of Caddy', () => existsSync(authority));
  trust(authority);
  await untilServed();
  return caddy;
}

async function startNginx(file: string): Promise<ChildProcess> {
  const certificates = `/etc/ssl/${domain}`;
  mkdirSync(certificates);
  const key = join(certificates, 'privkey.pem');
  const certificate = join(folder, 'certificate.pem');
  const subject = ['-subj', `/CN=${domain}`, '-addext', `subjectAltName=DNS:${domain}`];
  const config = join(folder, 'openssl.cnf');
  writeFileSync(config, '[req]\ndistinguished_name = name\n[name]\n');
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  const files = ['-config', config, '-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', ...kind, ...files, ...subject], { stdio: 'pipe' });
  copyFileSync(certificate, join(certificates, 'fullchain.pem'));
  const main = join(folder, 'nginx.conf');
  writeFileSync(
    main,
    `daemon off;\nuser root;\npid ${folder}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\n\tinclude ${file};\n}\n`,
  );
  execFileSync('nginx', ['-t', '-c', main], { stdio: 'pipe' });
  const nginx = startProxy('nginx', ['-c', main], { PATH: process.env['PATH'] });
  trust(certificate);
  await untilServed();
  return nginx;
}

function startProxy(command: string, args: string[], env: NodeJS.ProcessEnv): ChildProcess {
  const proxy = spawn(command, args, { env, stdio: 'ignore' });
  started.push(proxy);
  return proxy;
}

function trust(certificate: string): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), readFileSync(certificate, 'utf8')]);
}

function untilServed(): Promise<void> {
  const isServed = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  return until('the proxy to serve', async () => (await isServed()) || (await delay(100, false)), 60_000);
}

async function stop(proxy: ChildProcess): Promise<void> {
  const exited = once(proxy, 'exit');
  proxy.kill('SIGTERM');
  await exited;
}
