// An installation with data of an earlier schema is brought up to date, and its data means what it meant.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, type TestContext, test } from 'node:test';
import { defaultPermissions } from '@roster/contract';
import { migratePostgres } from '../src/store/postgres/migrate.ts';
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts';
import { applicationId } from '../src/store/sqlite/inspection.ts';
import { openSqliteStore } from '../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../src/store/store.ts';
import { sqliteUnderLoad } from './conformance/engine.ts';
import { createEmptyDatabase, query } from './postgres/databases.ts';

/** The schema of the first release, from its migration, which never changes. */
const firstSchema = (engine: string) =>
  readFileSync(new URL(`../src/store/${engine}/migrations/0001-initial.sql`, import.meta.url), 'utf8');

/** One secret by a member whom the audit log names, one by somebody whom it does not, and one by the operator. */
const rows = (hash: (digits: string) => string) => `
  INSERT INTO organizations (id, name, created_at) VALUES ('org_1', 'Acme', 1);
  INSERT INTO secrets (id, organization_id, name, prefix, hash, created_by, created_at) VALUES
    ('sec_1', 'org_1', 'Known', 'rst_a', ${hash('01')}, 'Jane', 1),
    ('sec_2', 'org_1', 'Unknown', 'rst_b', ${hash('02')}, 'Joe', 1),
    ('sec_3', 'org_1', 'First', 'rst_c', ${hash('03')}, NULL, 1);
  INSERT INTO audit_entries (id, organization_id, at, action, actor_kind, actor_id, actor_name, object_id, object_name, count)
  VALUES
    ('aud_1', 'org_1', 1, 'secret.create', 'member', 'mem_1', 'Jane', 'sec_1', 'Known', 1),
    ('aud_2', 'org_1', 1, 'secret.rename', 'member', 'mem_2', 'Joe', 'sec_2', 'Unknown', 1),
    ('aud_3', 'org_1', 1, 'secret.create', 'operator', NULL, 'operator', 'sec_3', 'First', 1);
`;

const engines: Record<string, (t: TestContext) => Promise<Store>> = {
  async SQLite(t) {
    const folder = mkdtempSync(join(tmpdir(), 'roster-upgrade-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const db = new DatabaseSync(join(folder, 'roster.db'));
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA journal_mode = WAL; ${firstSchema('sqlite')};
      PRAGMA user_version = 1; ${rows((digits) => `x'${digits}'`)}`);
    db.close();
    const onFatal = (error: unknown) => {
      throw error;
    };
    return openSqliteStore({ folder, ...sqliteUnderLoad, onFatal });
  },

  async PostgreSQL(t) {
    const { url, drop } = await createEmptyDatabase();
    t.after(drop);
    await query(
      url,
      `CREATE TABLE installation (id smallint PRIMARY KEY CHECK (id = 1), schema_version integer NOT NULL, checked_at bigint NOT NULL);
      INSERT INTO installation VALUES (1, 1, 0); ${firstSchema('postgres')}; ${rows((digits) => `'\\x${digits}'`)}`,
    );
    assert.equal((await migratePostgres(url)).from, 1);
    // A server of the earlier version beside it still creates secrets, and one that is new knows what they may do.
    await query(
      url,
      `INSERT INTO secrets (id, organization_id, name, prefix, hash, created_by, created_at)
       VALUES ('sec_4', 'org_1', 'Meanwhile', 'rst_d', '\\x04', 'Jane', 1)`,
    );
    return openPostgresStore({ url });
  },
};

suite('an upgrade from the first schema', () => {
  for (const [name, open] of Object.entries(engines)) {
    test(`on ${name} leaves secrets what they could do, and finds out who created them`, async (t) => {
      const store = await open(t);
      try {
        const secrets = await store.listSecrets('org_1');
        assert.deepEqual(
          secrets.slice(0, 3).map(({ id, creatorId, createdBy }) => [id, creatorId, createdBy]),
          [
            ['sec_1', 'mem_1', 'Jane'],
            ['sec_2', undefined, 'Joe'],
            ['sec_3', undefined, undefined],
          ],
        );
        for (const { permissions, bots, parentId } of secrets) {
          assert.deepEqual(
            { permissions, bots, parentId },
            { permissions: [...defaultPermissions], bots: undefined, parentId: undefined },
          );
        }
        assert.equal(await store.revokeSecret('sec_1', 2), true);
      } finally {
        await store.close();
      }
    });
  }
});
