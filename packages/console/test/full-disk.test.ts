// A server whose disk is full, for real: every page says that changes are not stored, and a change that is refused says why. When
// there is room again, the page no longer says so.
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { callFirstBot } from '../../server/test/process/server-process.ts';
import { fillDisk, onSmallDisk } from '../../server/test/process/small-disk.ts';
import { until } from '../../server/test/process/waiting.ts';
import { ConsoleWorld, Person } from './console-world.ts';

onSmallDisk('a full disk in the console', import.meta.url, (smallDisk) => {
  const ballast = join(smallDisk, 'ballast');

  suite('a full disk', () => {
    test('is told by a change that is refused, and above every page until there is room', async (t) => {
      const world = await ConsoleWorld.start(t, { ROSTER_DATA_DIR: join(smallDisk, 'data') });
      const ada = await Person.arrive(t, world, { account: await world.setUp() });
      const { page } = ada;
      const banner = page.getByText('The server’s disk is full. You can read everything, but changes aren’t stored');
      await ada.goTo(`/bots/${world.botId}/settings`);
      await ada.sees('My bot');
      assert.equal(await banner.count(), 0);

      await fillDisk(ballast, 0);
      // What is left of the log is soon used up.
      for (let at = 0; (await createContact(world, at)) !== 503; at++);
      await ada.fill({ Greeting: 'Not stored' });
      await ada.press('Save');
      const alert = page.getByRole('alert').filter({ hasText: 'The server can’t do this now' });
      await alert.getByText('so this change was not stored. Free some space on it, then try again.').waitFor();
      await banner.waitFor();
      await ada.press('Discard');
      await page.getByRole('link', { name: 'Members' }).click();
      await page.getByText('ada@example.com').waitFor();
      await banner.waitFor();
      await page.reload();
      await banner.waitFor();

      await rm(ballast);
      await until('the banner is gone', async () => {
        await ada.looksAgain();
        return (await banner.count()) === 0;
      });
    });
  });
});

async function createContact({ url, server }: ConsoleWorld, at: number): Promise<number> {
  const contact = { name: 'x'.repeat(200), email: `jane-${at}@example.com` };
  return (await callFirstBot(url, server.firstRun, 'PUT', 'contacts', contact)).status;
}
