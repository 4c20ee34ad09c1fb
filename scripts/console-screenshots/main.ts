// `npm run screenshots`: every page, dialog and state of the console, wide and narrow, light and dark, with realistic data,
// for review. `--only=secret,bulk` takes those whose names contain one of the texts. `--docs` also copies the screenshots that the docs
// show into docs/console.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parseArgs } from 'node:util';
import { type Account, ConsoleWorld, Person } from '../../packages/console/test/console-world.ts';
import { untilPreviewed } from './actions.ts';
import { intercept } from './answers.ts';
import { fill } from './sample-data.ts';
import { type Shot, shotsOf } from './shots.ts';
import { fillWebhooks, shotsOfMember, shotsOfWebhooks } from './webhook-shots.ts';

const { values: flags, positionals } = parseArgs({
  options: { docs: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
  allowPositionals: true,
});
const folder = positionals[0] ?? 'screenshots';
const docsFolder = new URL('../../docs/console/', import.meta.url);
/** Screenshots of the docs, by their file names there. */
const forDocs = {
  home: 'home-bot-desktop-light',
  contacts: 'contacts-desktop-light',
  widget: 'widget-contact-desktop-light',
  activity: 'activity-desktop-light',
  import: 'import-check-desktop-light',
  secrets: 'secrets-desktop-light',
  'new-secret': 'secret-form-desktop-light',
  account: 'account-desktop-light',
};
/** Stands in for a test context: clean-ups that are registered with it run at the end of the script. */
const cleanUps: (() => unknown)[] = [];
const t: Pick<TestContext, 'after'> = { after: (cleanUp) => void cleanUps.push(cleanUp as () => unknown) };

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const schemes = ['light', 'dark'] as const;

try {
  mkdirSync(folder, { recursive: true });
  // The port is passed explicitly, because the embed snippets show the configured address.
  const world = await ConsoleWorld.start(t, { ROSTER_PORT: String(await findPort()), ROSTER_WEBHOOK_PRIVATE: '1' });
  await shoot(world, undefined, [
    { name: 'set-up', route: new URL(world.setUpUrl).hash.slice(1), title: 'Set up Roster', isAnonymous: true },
  ]);
  const owner = await world.setUp('Maya Lindqvist', 'maya@example.com');
  await shoot(world, owner, [{ name: 'home-checklist', route: '/', title: 'Home' }]);
  const { contactId, link } = await fill(world, owner);
  await shoot(world, owner, shotsOf(world.botId, contactId, link));
  const webhooks = await fillWebhooks(t, world, owner);
  await shoot(world, owner, shotsOfWebhooks(world.botId, webhooks));
  const member = await world.invite(owner, 'member', 'Kwame Mensah', 'kwame@example.com');
  await shoot(world, member, shotsOfMember(world.botId, webhooks));
  const viewer = await world.invite(owner, 'viewer', 'Aiko Tanaka', 'aiko@example.com');
  await shoot(world, viewer, [
    { name: 'viewer-widget', route: `/bots/${world.botId}/settings`, title: 'Harbour Books', act: untilPreviewed },
    { name: 'viewer-contacts', route: `/bots/${world.botId}/contacts`, title: 'Harbour Books', isScreenOnly: true },
  ]);
  if (flags.docs) copyForDocs();
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}

function copyForDocs(): void {
  mkdirSync(docsFolder, { recursive: true });
  for (const [name, shot] of Object.entries(forDocs)) {
    copyFileSync(join(folder, `${shot}.png`), new URL(`${name}.png`, docsFolder));
  }
}

/** A port that is free at this moment. */
async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function shoot(world: ConsoleWorld, account: Account | undefined, all: readonly Shot[]): Promise<void> {
  const shots = all.filter(({ name }) => flags.only.split(',').some((part) => name.includes(part)));
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of schemes) {
      const options = { viewport, colorScheme, isMobile: size === 'phone', hasTouch: size === 'phone' };
      const anonymous = await Person.arrive(t, world, options);
      const member = await Person.arrive(t, world, { ...options, ...(account && { account }) });
      for (const shot of shots) {
        // A tab of its own: to leave a page with edits would mean a question, and closing a tab asks none.
        const person = await (shot.isAnonymous ? anonymous : member).openTab();
        const path = join(folder, `${shot.name}-${size}-${colorScheme}.png`);
        try {
          await take(person, shot, size === 'desktop', path);
        } catch (cause) {
          throw new Error(`${path} cannot be taken`, { cause });
        }
        await person.page.close();
      }
    }
  }
  console.log(`${shots.length * 4} screenshots are in ${folder}`);
}

async function take(person: Person, shot: Shot, isDesktop: boolean, path: string): Promise<void> {
  const { page } = person;
  const { route, title, height, answers, act, isScreenOnly = false } = shot;
  if (isDesktop && height !== undefined) await page.setViewportSize({ ...sizes.desktop, height });
  if (answers !== undefined) await intercept(page, answers);
  await person.goTo(route);
  if (title !== '') await (act === undefined ? person.sees(title) : page.getByRole('heading', { level: 1 }).waitFor());
  await act?.(person);
  if (answers?.how !== 'never') await person.hasLoaded();
  // A frame outside the viewport is not painted, so the phone screenshot of the widget page shows the viewport only.
  const isWhole = act === untilPreviewed ? isDesktop : !isScreenOnly || !isDesktop;
  // Of a page that was scrolled, a whole screenshot has the fixed parts in the wrong place.
  if (isWhole) await page.evaluate('scrollTo(0, 0)');
  await page.screenshot({ path, fullPage: isWhole && (await page.getByRole('dialog').count()) === 0 });
}
