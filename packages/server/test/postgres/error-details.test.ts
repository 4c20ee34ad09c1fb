// In the details of its errors the database quotes rows and parameters. None of that may reach the log.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { pino } from 'pino';
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { addBot, postgresUnderLoad } from '../conformance/engine.ts';
import { sampleCaller, sampleContext, sampleFields } from '../sample.ts';
import { createDatabase, query } from './databases.ts';

const canary = 'kanarie7f3a';

/** What the log would hold of the error, and of what caused it. */
function lineOf(error: unknown): string {
  const lines: string[] = [];
  pino({}, { write: (line: string) => lines.push(line) }).error({ err: error }, 'failed');
  return lines.join('');
}

suite('errors of the database', () => {
  test('are logged with their code and constraint, and without the row that they are about', async (t) => {
    const { url, drop } = await createDatabase('plain');
    const store = await openPostgresStore({ url, ...postgresUnderLoad });
    t.after(async () => {
      await store.close();
      await drop();
    });
    const { botId, create } = await addBot({ store });
    const contact = await create();
    await query(url, `ALTER TABLE contacts ADD CONSTRAINT no_canary CHECK (name NOT LIKE '%${canary}%')`);
    // Beside the row, the parameters of the statement are quoted when the database is set so.
    await query(
      url,
      "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET log_parameter_max_length_on_error = -1', current_database()); END$$",
    );
    const attempts = [
      () => store.createContact(botId, sampleFields({ name: canary, email: `${canary}@example.com` }), sampleContext()),
      () => store.updateContact(botId, contact.id, { name: canary, phone: canary }, sampleContext()),
    ];
    for (const attempt of attempts) {
      await assert.rejects(attempt, (error) => {
        const line = lineOf(error);
        assert.match(line, /"code":"23514".*"constraint":"no_canary"/s);
        assert.ok(!line.includes(canary), line);
        return true;
      });
    }
  });

  test('about a value are logged without the value', async (t) => {
    const { url, drop } = await createDatabase('plain');
    const store = await openPostgresStore({ url, ...postgresUnderLoad });
    t.after(async () => {
      await store.close();
      await drop();
    });
    const { botId } = await addBot({ store });
    // A fault of ours: text where a number belongs.
    const page = { after: undefined, limit: canary as unknown as number };
    await assert.rejects(store.exportContacts(botId, page, sampleCaller), (error) => {
      const line = lineOf(error);
      assert.match(line, /"code":"22P02"/);
      assert.ok(!line.includes(canary), line);
      return true;
    });
  });
});
