// A primary and a streaming standby of PostgreSQL on loopback, with settings that keep what was committed. The standby
// is a copy of the stopped primary's files: the binaries of the npm package lack pg_basebackup.
import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runAs } from '../packages/server/test/postgres/binaries.ts';
import { query } from '../packages/server/test/postgres/databases.ts';
import { type PostgresServer, startPostgres } from '../packages/server/test/postgres/server.ts';
import { until } from '../packages/server/test/process/waiting.ts';

const database = 'roster';
/** Of the server itself, not of the one that its data was copied from. */
const ownFiles = ['postgresql.conf', 'postmaster.pid', 'postmaster.opts'];

const settings = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  wal_level: 'replica',
  // What the standby needs is kept while it connects, without a slot that would have to be looked after.
  wal_keep_size: '512MB',
  // The service's connections for two hosts, and those of this script.
  max_connections: 60,
  shared_buffers: '64MB',
};

export class PostgresPair {
  primary: PostgresServer;
  standby: PostgresServer;
  /** Whose passwords both have: all data comes from it. */
  readonly #origin: PostgresServer;

  private constructor(primary: PostgresServer, standby: PostgresServer) {
    this.primary = primary;
    this.standby = standby;
    this.#origin = primary;
  }

  static async start(): Promise<PostgresPair> {
    const [primary, standby] = await Promise.all([startPostgres({ settings }), startPostgres({ settings })]);
    await query(primary.url('postgres'), `CREATE DATABASE ${database}`);
    // Until it is a copy of the primary, it is a database of its own.
    await standby.kill('SIGINT');
    return new PostgresPair(primary, standby);
  }

  /** For DATABASE_URL: both hosts. */
  get url(): string {
    const url = new URL(this.#origin.url(database));
    const hosts = [this.primary, this.standby].map(({ port }) => `127.0.0.1:${port}`);
    return `${url.protocol}//${url.username}:${url.password}@${hosts.join(',')}/${database}`;
  }

  /** Makes the standby a copy of the primary, and waits until it follows. */
  async connect({ isSynchronous }: { isSynchronous: boolean }): Promise<void> {
    const { primary, standby } = this;
    await Promise.all([primary.kill('SIGINT'), standby.kill('SIGINT')]);
    copyData(primary.dataDir, standby.dataDir);
    const { username, password } = new URL(this.#origin.superuserUrl(database));
    const source = `host=127.0.0.1 port=${primary.port} user=${username} password=${password}`;
    appendFileSync(join(standby.dataDir, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`);
    const signal = join(standby.dataDir, 'standby.signal');
    writeFileSync(signal, '');
    const user = runAs();
    if ('uid' in user) chownSync(signal, user.uid, user.gid);

    await Promise.all([primary.restart(), standby.restart()]);
    // Both have the same settings, as machines that change roles should.
    const names = isSynchronous ? '*' : '';
    for (const server of [primary, standby]) await this.#set(server, 'synchronous_standby_names', names);
    await until('the standby to follow', async () => {
      const sql = 'SELECT state, sync_state FROM pg_stat_replication';
      const [walSender] = await this.#ask(primary, sql);
      return walSender?.state === 'streaming' && walSender.sync_state === (isSynchronous ? 'sync' : 'async');
    });
  }

  /** The standby gets nothing from the primary from now on. */
  async cutLink(): Promise<void> {
    await this.#set(this.standby, 'primary_conninfo', '');
    await until('the standby to be cut off', async () => {
      return (await this.#ask(this.standby, 'SELECT FROM pg_stat_wal_receiver')).length === 0;
    });
  }

  /** All processes of the primary end at once, as when its machine fails. */
  killPrimary(): Promise<void> {
    return this.primary.crash();
  }

  /** All processes of the primary stop, and its connections stay open, as when its machine vanishes. */
  freezePrimary(): void {
    // The postmaster first: it starts no more of them, and each stays at least as a zombie.
    process.kill(this.primary.pid, 'SIGSTOP');
    for (const pid of this.primary.childPids()) process.kill(pid, 'SIGSTOP');
  }

  /** Ends a primary that was frozen before it was replaced. */
  killStandby(): Promise<void> {
    return this.standby.crash();
  }

  /** Makes the standby the primary, and the dead primary the next standby. Resolves when it takes writes. */
  async promote(): Promise<void> {
    // It has no standby of its own yet, and would wait for one at each commit. Patroni does the same.
    await this.#set(this.standby, 'synchronous_standby_names', '');
    await this.#ask(this.standby, 'SELECT pg_promote()');
    [this.primary, this.standby] = [this.standby, this.primary];
  }

  async stop(): Promise<void> {
    await Promise.all([this.primary.stop(), this.standby.stop()]);
  }

  async #set(server: PostgresServer, name: string, value: string): Promise<void> {
    await this.#ask(server, `ALTER SYSTEM SET ${name} = '${value}'`);
    await this.#ask(server, 'SELECT pg_reload_conf()');
    await until(`${name} to be in force`, async () => {
      const [setting] = await this.#ask(server, `SELECT current_setting('${name}') AS value`);
      return setting.value === value;
    });
  }

  #ask(server: PostgresServer, sql: string) {
    const url = Object.assign(new URL(this.#origin.superuserUrl(database)), { port: String(server.port) });
    return query(url.href, sql);
  }
}

function copyData(from: string, to: string): void {
  for (const name of readdirSync(to)) {
    if (!ownFiles.includes(name)) rmSync(join(to, name), { recursive: true });
  }
  const copied = readdirSync(from).filter((name) => !ownFiles.includes(name));
  execFileSync('cp', ['-a', ...copied.map((name) => join(from, name)), to]);
}
