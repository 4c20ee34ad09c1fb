// The operator's commands on a sharded database of which a part is out of reach. Here the parts are partitions, and a policy
// answers for the rows of one with the error of a lost node.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createDatabase, query } from '../../server/test/postgres/databases.ts';
import { makeFolder, runCli } from './harness.ts';

suite('on a sharded database with a part that is out of reach', () => {
  test('bot list shows every bot, and which counts are unavailable', async (t) => {
    const [{ url, drop }, cwd] = [await createDatabase('partitioned'), await makeFolder(t)];
    t.after(drop);
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(args, { cwd, env: { DATABASE_URL: url } });
      assert.equal(code, 0, stderr);
      return stdout;
    };
    await run('org', 'create', 'Acme');
    const ids: string[] = [];
    const parts = () => query(url, 'SELECT DISTINCT ON (tableoid) tableoid, bot_id FROM bot_states ORDER BY 1, 2');
    while ((await parts()).length < 2) {
      ids.push(JSON.parse(await run('bot', 'create', `Bot ${ids.length}`, '--json')).id);
    }
    const [lost] = await parts();
    await query(
      url,
      `CREATE FUNCTION is_reachable(part oid) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF part = ${lost.tableoid} THEN RAISE SQLSTATE '08006' USING MESSAGE = 'connection to the remote node failed'; END IF;
        RETURN true;
      END $$;
      CREATE POLICY reachable ON bot_states USING (is_reachable(tableoid));
      ALTER TABLE bot_states ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
    );
    const listed = JSON.parse(await run('bot', 'list', '--json')) as { id: string; contactCount: number | null }[];
    assert.deepEqual(
      listed.map(({ id }) => id),
      ids,
    );
    const unavailable = listed.filter(({ contactCount }) => contactCount === null).map(({ id }) => id);
    assert.ok(unavailable.includes(lost.bot_id) && unavailable.length < ids.length, JSON.stringify(listed));
    const table = await run('bot', 'list');
    for (const id of ids) {
      const line = table.split('\n').find((text) => text.startsWith(id)) as string;
      assert.match(line, unavailable.includes(id) ? /Bot \d+ +unavailable +org_/ : /Bot \d+ +0 +org_/);
    }
  });
});
