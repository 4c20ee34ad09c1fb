// PostgreSQL for the benchmark: a server of its own whose data is cached between runs, and a database for each Roster,
// copied by the server. It runs with PostgreSQL's default settings, so every commit is synced.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from '../packages/server/test/postgres/databases.ts';
import { startPostgres } from '../packages/server/test/postgres/server.ts';
import type { Engine, Storage } from './engine.ts';
import { forkBare } from './processes.ts';

export async function openPostgresEngine(home: string): Promise<Engine> {
  mkdirSync(home, { recursive: true });
  const server = await startPostgres({ settings: {}, keptIn: join(home, 'cluster') });
  const admin = (statement: string) => query(server.url('postgres'), statement);
  const [{ server_version }] = (await admin('SHOW server_version')) as [{ server_version: string }];

  const keptName = (name: string) => `kept_${name.replaceAll('-', '_')}`;
  const temporaryName = (name: string) => `run_${name.replaceAll('-', '_')}`;
  // Only a superuser may end an autovacuum worker, which a database that was just written to often has.
  const drop = (database: string) =>
    query(server.superuserUrl('postgres'), `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  const dropTemporary = async () => {
    for (const { datname } of await admin(`SELECT datname FROM pg_database WHERE datname LIKE 'run\\_%'`)) {
      await drop(datname);
    }
  };
  const create = async (database: string, options = ''): Promise<Storage> => {
    await drop(database);
    await admin(`CREATE DATABASE ${database} ${options}`);
    return {
      folder: home,
      env: { DATABASE_URL: server.url(database) },
      async bytes() {
        const [row] = await admin(`SELECT pg_database_size('${database}') AS bytes`);
        return Number(row.bytes);
      },
      // Autovacuum follows writes up to a minute later.
      async isQuiet() {
        const [row] = await admin(`SELECT count(*) AS busy FROM pg_stat_activity WHERE pid <> pg_backend_pid()
          AND (state = 'active' OR backend_type = 'autovacuum worker')`);
        return Number(row.busy) === 0;
      },
    };
  };

  // A run that was killed leaves its databases behind.
  await dropTemporary();
  return {
    kind: 'postgres',
    version: `PostgreSQL ${server_version.split(' ')[0]}`,
    make: (name) => create(keptName(name)),
    async finish(name) {
      await query(server.url(keptName(name)), 'VACUUM (ANALYZE)');
    },
    copy: (name) => create(temporaryName(name), `TEMPLATE ${keptName(name)} STRATEGY file_copy`),
    makeTemporary: (name) => create(temporaryName(name)),
    // The bare script searches the service's own database, so it needs no data besides.
    async fillBareSearch() {},
    startBareSearch: async ({ storage, access }) => forkBare('search-postgres', [access.botId], storage.env),
    async startBareUpserts() {
      const { env } = await create(temporaryName('bare'));
      return forkBare('upserts-postgres', [], env);
    },
    // Of the children that have ended, the postmaster keeps the sum.
    cpuUs: async () => cpuUsOf(server.pid, true) + server.childPids().reduce((sum, pid) => sum + cpuUsOf(pid), 0),
    async close() {
      await dropTemporary();
      await server.stop();
    },
  };
}

/** The kernel counts in hundredths of a second. A process that ended a moment ago is counted by its parent. */
function cpuUsOf(pid: number, withChildren = false): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in brackets, which may hold spaces. utime is the fourteenth.
    const times = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, withChildren ? 15 : 13);
    return times.reduce((sum, ticks) => sum + Number(ticks) * 10_000, 0);
  } catch {
    return 0;
  }
}
