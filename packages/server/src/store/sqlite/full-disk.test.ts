// A full disk, for real: a small one, mounted for one process only. Writes are refused, reads go on, and as soon as
// there is room writes work again.
import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { suite, test } from 'node:test';
import type { Contact } from '@roster/contract';
import { botIn } from '../../../test/conformance/engine.ts';
import { signInAs } from '../../../test/console-client.ts';
import { addTenant, callerOf, metricsToken, quickHash, startServer } from '../../../test/harness.ts';
import { fillDisk, onSmallDisk } from '../../../test/process/small-disk.ts';
import { sampleContext, sampleFields } from '../../../test/sample.ts';
import { Passwords } from '../../account/passwords.ts';
import { DiskFullError } from '../store.ts';
import { openSqliteStore } from './sqlite-store.ts';

onSmallDisk('a full disk', import.meta.url, (smallDisk) => {
  suite('a full disk', () => {
    // Each amount makes another file the first one that cannot grow: the log, its index, or the database.
    for (const freeKiB of [0, 4, 20, 100, 700, 20_000]) {
      test(`with ${freeKiB} KiB left refuses writes, answers reads, and recovers when there is room`, async (t) => {
        const folder = join(smallDisk, `free-${freeKiB}`);
        await mkdir(folder);
        t.after(() => rm(folder, { recursive: true }));
        let fatal: Error | undefined;
        const settings = {
          folder,
          readers: 1,
          onFatal(error: Error) {
            fatal ??= error;
          },
        };
        const store = await openSqliteStore(settings);
        const bot = botIn(store, (await addTenant(store)).bot.id);
        const first = await bot.create({ name: 'Jane First' });
        const answered: string[] = [first.id];
        const ballast = join(folder, 'ballast');
        await fillDisk(ballast, freeKiB);

        let refusal: unknown;
        while (refusal === undefined) {
          const items = Array.from({ length: 50 }, () => sampleFields({ name: 'x'.repeat(2000) }));
          await store.upsertContacts(bot.botId, items, sampleContext()).then(
            (outcome) => answered.push(...(outcome.kind === 'upserted' ? outcome.ids : [])),
            (error: unknown) => {
              refusal = error;
            },
          );
        }
        assert.ok(refusal instanceof DiskFullError, `not a DiskFullError: ${refusal}`);
        // Short writes still find room in the log, for a while: they do not hide it.
        for (let count = 0; count < 3; count++) await assert.rejects(store.ping(), DiskFullError);
        assert.equal(store.gauges()['store_read_only']?.(), 1);

        const idsOf = (contacts: Contact[]) => contacts.map(({ id }) => id);
        assert.deepEqual(await store.findContact(bot.botId, first.id), first);
        assert.equal((await bot.search('jane first')).total, 1);
        assert.deepEqual(idsOf(await bot.exportAll()), answered);
        await rm(ballast);
        answered.push((await bot.create({ name: 'Jane Last' })).id);
        await store.ping();
        assert.equal(store.gauges()['store_read_only']?.(), 0);
        assert.deepEqual(idsOf(await bot.exportAll()), answered);
        await store.close();
        assert.equal(fatal, undefined);

        const db = new DatabaseSync(join(folder, 'roster.db'), { readOnly: true });
        assert.deepEqual({ ...db.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
        db.close();
      });
    }

    test('is answered with what to do by a sign-in and by revoking a secret, and readiness says read-only', async (t) => {
      const folder = join(smallDisk, 'http');
      await mkdir(folder);
      t.after(() => rm(folder, { recursive: true }));
      const store = await openSqliteStore({ folder, readers: 1, onFatal: assert.fail });
      t.after(() => store.close());
      const server = await startServer(t, { wrapStore: () => store });
      const { url, clock } = server;
      const tenant = await addTenant(store);
      const call = callerOf(url, tenant);
      const passwordHash = await new Passwords(quickHash).hash('a long enough password');
      const { page, member } = await signInAs(server, 'owner', tenant, passwordHash);
      assert.deepEqual((await call('GET', '/readyz')).json, { status: 'ready' });

      const ballast = join(folder, 'ballast');
      await fillDisk(ballast, 0);
      // The log still has some free space, which writes use up soon.
      const write = (contact: object) => call('PATCH', 'contacts', { body: { data: [contact] } });
      let count = 0;
      while ((await write({ name: 'x'.repeat(200), email: `jane${count++}@example.com` })).status === 200);
      const signIn = { email: member.email, password: 'a long enough password' };
      const refused = [
        await write({ name: 'Joe', email: 'joe@example.com' }),
        await page.call('DELETE', `secrets/${tenant.secretId}`),
        await page.call('POST', 'session', { body: signIn }),
      ];
      for (const { status, json, headers } of refused) {
        assert.deepEqual([status, json.code], [503, 'unavailable']);
        const detail =
          'The server’s disk is full, so this change was not stored. Free some space on it, then try again.';
        assert.equal(json.detail, detail);
        assert.equal(headers.get('retry-after'), '1');
      }
      clock.nowMs += 1000;
      const { status, json } = await call('GET', '/readyz');
      assert.deepEqual([status, json], [200, { status: 'ready', mode: 'read-only' }]);
      const metrics = await call('GET', '/metrics', { token: metricsToken });
      assert.match(metrics.text, /^roster_store_read_only 1$/m);

      await rm(ballast);
      clock.nowMs += 1000;
      assert.deepEqual((await call('GET', '/readyz')).json, { status: 'ready' });
      assert.equal((await page.call('DELETE', `secrets/${tenant.secretId}`)).status, 204);
    });
  });
});
