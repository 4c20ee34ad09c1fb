// The operator's commands on a sharded database of which a part is out of reach. Here the parts are partitions, and a policy
// answers for the rows of one with the error of a lost node.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createDatabase, query } from '../../server/test/postgres/databases.ts';
import { until } from '../../server/test/process/waiting.ts';
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
    const lostBots = await query(url, 'SELECT bot_id FROM bot_states WHERE tableoid = $1', [lost.tableoid]);
    const isLost = (id: string) => lostBots.some(({ bot_id }) => bot_id === id);
    await query(
      url,
      `CREATE FUNCTION is_reachable(part oid) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF part = ${lost.tableoid} THEN RAISE SQLSTATE '08006' USING MESSAGE = 'connection to the remote node failed'; END IF;
        RETURN true;
      END $$;
      CREATE POLICY reachable ON bot_states USING (is_reachable(tableoid));
      ALTER TABLE bot_states ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`,
    );
    // A count has a second. On a busy machine, one of the part that is within reach may be late as well.
    await until('the counts of the part that is within reach', async () => {
      const listed = JSON.parse(await run('bot', 'list', '--json')) as { id: string; contactCount: number | null }[];
      assert.deepEqual(
        listed.map(({ id }) => id),
        ids,
      );
      assert.ok(listed.every(({ id, contactCount }) => contactCount === null || (contactCount === 0 && !isLost(id))));
      return listed.every(({ id, contactCount }) => isLost(id) || contactCount === 0);
    });
    await until('a table of them', async () => {
      const lines = (await run('bot', 'list')).split('\n');
      return ids.every((id) => {
        const line = lines.find((text) => text.startsWith(id)) as string;
        assert.match(line, isLost(id) ? /Bot \d+ +unavailable +org_/ : /Bot \d+ +(0|unavailable) +org_/);
        return isLost(id) || !line.includes('unavailable');
      });
    });
  });
});
