// Encrypted connections to PostgreSQL, and what is checked of the server's certificate.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { StoreOpenError } from '../../src/store/store.ts';
import { postgresUnderLoad } from '../conformance/engine.ts';
import { until } from '../process/waiting.ts';
import { query } from './databases.ts';
import { type PostgresServer, startPostgres } from './server.ts';

suite('a connection to PostgreSQL over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-tls-'));
  let server: PostgresServer;

  before(async () => {
    assert.equal(spawnSync('openssl', ['version']).status, 0, 'install openssl (Debian: apt-get install openssl)');
    makeAuthority(folder, 'ours');
    makeAuthority(folder, 'theirs');
    server = await startPostgres();
    certify(folder, server);
    await query(server.superuserUrl('postgres'), 'ALTER SYSTEM SET ssl = on');
    await query(server.superuserUrl('postgres'), 'SELECT pg_reload_conf()');
    await query(server.url('postgres'), 'CREATE DATABASE roster');
    await until('TLS', async () => (await query(server.url('postgres'), 'SHOW ssl'))[0].ssl === 'on');
  });
  after(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true });
  });

  const urlOf = (hostname: string, search: string) =>
    Object.assign(new URL(server.url('roster')), { hostname, search }).href;
  const authority = (name: string) => `sslrootcert=${join(folder, `${name}.pem`)}`;

  /** Which of the connections of stores are encrypted. */
  async function listEncryption(): Promise<boolean[]> {
    const sql =
      "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'roster'";
    return (await query(server.url('postgres'), sql)).map(({ ssl }) => ssl);
  }

  async function encryption(url: string): Promise<boolean[]> {
    const store = await openPostgresStore({ url, ...postgresUnderLoad });
    await store.ping();
    const all = await listEncryption();
    await store.close();
    // A connection that was closed is listed for a moment longer, and must not be taken for one of the next store.
    await until('the connections to be gone', async () => (await listEncryption()).length === 0);
    return all;
  }

  async function refusalOf(url: string): Promise<string> {
    const error = await openPostgresStore({ url, ...postgresUnderLoad }).then(
      () => assert.fail('it was accepted'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof StoreOpenError, String(error));
    assert.doesNotMatch(error.message, /\n/);
    return error.message;
  }

  test('sslmode=disable is not encrypted', async () => {
    assert.deepEqual(await encryption(urlOf('127.0.0.1', 'sslmode=disable')), [false]);
  });

  test('sslmode=require is encrypted, whoever certified the server', async () => {
    assert.deepEqual(await encryption(urlOf('127.0.0.1', 'sslmode=require')), [true]);
  });

  test('sslmode=require with an authority, and verify-ca, want its certificate, for any name', async () => {
    for (const mode of ['require', 'verify-ca']) {
      assert.deepEqual(await encryption(urlOf('127.0.0.1', `sslmode=${mode}&${authority('ours')}`)), [true]);
      const line = await refusalOf(urlOf('127.0.0.1', `sslmode=${mode}&${authority('theirs')}`));
      assert.match(line, /certificate/);
    }
  });

  test('sslmode=verify-full wants the right name and the right authority', async () => {
    assert.deepEqual(await encryption(urlOf('localhost', `sslmode=verify-full&${authority('ours')}`)), [true]);
    const wrongName = await refusalOf(urlOf('127.0.0.1', `sslmode=verify-full&${authority('ours')}`));
    assert.match(wrongName, /does not match certificate|IP: 127\.0\.0\.1 is not in the cert/);
    const wrongAuthority = await refusalOf(urlOf('localhost', `sslmode=verify-full&${authority('theirs')}`));
    assert.match(wrongAuthority, /certificate/);
    const noAuthority = await refusalOf(urlOf('localhost', 'sslmode=verify-full'));
    assert.match(noAuthority, /certificate/);
  });
});

function openssl(folder: string, ...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

function makeAuthority(folder: string, name: string): void {
  const certificate = ['-x509', '-days', '2', '-subj', `/CN=${name}`, '-addext', 'basicConstraints=critical,CA:TRUE'];
  openssl(folder, 'req', ...newKey, ...certificate, '-keyout', `${name}.key`, '-out', `${name}.pem`);
}

/** Gives the server a certificate of our authority for the name localhost, and for no address. */
function certify(folder: string, { dataDir }: PostgresServer): void {
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost\n');
  openssl(folder, 'req', '-new', ...newKey, '-subj', '/CN=localhost', '-keyout', 'server.key', '-out', 'server.csr');
  const signed = ['-CA', 'ours.pem', '-CAkey', 'ours.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
  openssl(folder, 'x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.crt');
  // PostgreSQL takes a key only if it belongs to its user, who alone can read it.
  const { uid, gid } = statSync(dataDir);
  for (const name of ['server.key', 'server.crt']) {
    const path = join(dataDir, name);
    copyFileSync(join(folder, name), path);
    chownSync(path, uid, gid);
    chmodSync(path, 0o600);
  }
}
