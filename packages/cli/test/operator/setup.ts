// Where the tests of the operator begin: settings for a folder or a database, and operators that end with the test.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Config, loadConfig } from '@roster/server/operator';
import { createDatabase, type TestDatabase } from '../../../server/test/postgres/databases.ts';
import { type OperatorOptions, openOperator } from '../../src/operator/open-operator.ts';
import type { Operator } from '../../src/operator/operator.ts';
import { afterMigration } from '../prepared-data.ts';

type Lifetime = Pick<TestContext, 'after'>;

export async function makeFolder(t: Lifetime): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-operator-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Settings as of a shell in `folder` that sets nothing else. */
export function configOf(folder: string, environment: Record<string, string> = {}): Config {
  return loadConfig({}, environment, folder);
}

/** Both engines, each with an empty database of the newest schema. */
export const engines = {
  async SQLite(t: Lifetime): Promise<Config> {
    const config = configOf(await makeFolder(t));
    await (await afterMigration()).copyTo(config.dataDir);
    return config;
  },
  async PostgreSQL(t: Lifetime): Promise<Config> {
    return databaseConfig(t, await createDatabase('plain'));
  },
};

/** Hooks of a test run in the order in which they were made: the database goes when its operators are closed. */
const opened = new WeakMap<Config, Operator[]>();

export async function databaseConfig(t: Lifetime, { url, drop }: TestDatabase): Promise<Config> {
  const config = configOf(await makeFolder(t), { DATABASE_URL: url });
  t.after(async () => {
    await Promise.all((opened.get(config) ?? []).map((operator) => operator.close()));
    await drop();
  });
  return config;
}

export async function open(t: Lifetime, config: Config, options?: OperatorOptions): Promise<Operator> {
  const operator = await openOperator(config, { isStrict: true, ...options });
  opened.set(config, [...(opened.get(config) ?? []), operator]);
  t.after(() => operator.close());
  return operator;
}
