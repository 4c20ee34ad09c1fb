// `npm run screenshots`: every page of the console, wide and narrow, light and dark, with realistic data, for review.
// `npm run screenshots -- --docs` also copies the screenshots that the docs show into docs/console.
import { copyFileSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { type Account, ConsoleWorld, Person, userAgents } from '../packages/console/test/console-world.ts';
import { sampleContacts } from './sample-contacts.ts';

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? 'screenshots';
const docsFolder = new URL('../docs/console/', import.meta.url);
/** Screenshots of the docs, by their file names there. */
const forDocs = {
  contacts: 'contacts-desktop-light',
  widget: 'widget-desktop-light',
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

interface Shot {
  name: string;
  route: string;
  title: string;
  isAnonymous?: boolean;
  /** Of a desktop window, for a dialog that is longer than the usual one. */
  height?: number;
  /** Actions on the page before the screenshot. */
  act?(page: Page): Promise<void>;
}

try {
  mkdirSync(folder, { recursive: true });
  // The port is passed explicitly, because the embed snippets show the configured address.
  const world = await ConsoleWorld.start(t, { ROSTER_PORT: String(await findPort()) });
  await shoot(world, undefined, [
    { name: 'set-up', route: new URL(world.setUpUrl).hash.slice(1), title: 'Set up Roster', isAnonymous: true },
  ]);
  const owner = await world.setUp('Maya Lindqvist', 'maya@example.com');
  const { contactId, link } = await fill(world, owner);
  await shoot(world, owner, shotsOf(world.botId, contactId, link));
  const viewer = await world.invite(owner, 'viewer', 'Aiko Tanaka', 'aiko@example.com');
  await shoot(world, viewer, [
    { name: 'viewer-widget', route: `/bots/${world.botId}/settings`, title: 'Harbour Books', act: untilPreviewed },
    { name: 'viewer-contacts', route: `/bots/${world.botId}/contacts`, title: 'Contacts' },
  ]);
  if (process.argv.includes('--docs')) copyForDocs();
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

async function fill(world: ConsoleWorld, owner: Account): Promise<{ contactId: string; link: string }> {
  const { json } = await world.callBot('PATCH', 'contacts', { data: sampleContacts });
  const contactId = json.data[0].id;
  await fillValues(world);
  const { json: token } = await world.callBot('POST', 'auth/contact', { id: contactId });
  await world.callBot('POST', 'auth/contact', { id: contactId });
  await fetch(`${world.url}/v1/bots/${world.botId}/auth/contact`, {
    headers: { authorization: `Bearer ${token.token}` },
  });
  const settings = { name: 'Harbour Books', greeting: 'Ahoy! Looking for something to read?', color: '#1f6f8b' };
  await world.callAccount(owner, 'PATCH', `bots/${world.botId}`, settings);
  await world.callAccount(owner, 'POST', 'bots', { name: 'Wholesale', color: '#b4552d' });
  await world.callAccount(owner, 'POST', 'bots', { name: 'Careers', color: '#5a4fcf' });
  await world.callAccount(owner, 'POST', 'secrets', { name: 'Web shop' });
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  const permissions = ['contacts:write'];
  const bots = [world.botId];
  await world.callAccount(owner, 'POST', 'secrets', { name: 'Nightly import', expiresAt, permissions, bots });
  const { data: old } = await world.callAccount(owner, 'POST', 'secrets', { name: 'Old web shop' });
  await world.callAccount(owner, 'DELETE', `secrets/${(old as { id: string }).id}`);
  for (const userAgent of [userAgents.firefox, userAgents.safari]) await world.signIn(owner, userAgent);
  await world.invite(owner, 'member', 'Tomás Ferreira', 'tomas@example.com');
  await world.invite(owner, 'owner', 'Ngozi Okafor', 'ngozi@example.com');
  const { data } = await world.callAccount(owner, 'POST', 'invitations', {
    email: 'henrik@example.com',
    role: 'member',
  });
  return { contactId, link: new URL((data as { link: string }).link).hash.slice(1) };
}

/** Attributes and tags of the sample contacts. */
async function fillValues(world: ConsoleWorld): Promise<void> {
  await world.callBot('PUT', 'attributes/plan', { type: 'text', label: 'Plan' });
  await world.callBot('PUT', 'attributes/orders', { type: 'number', label: 'Orders' });
  const data = sampleContacts.map(({ email }, at) => ({
    email,
    attributes: { plan: ['Gold', 'Silver', 'Free'][at % 3], orders: (at * 7) % 23 },
    tags: at % 4 === 3 ? [] : ['regular', ...(at % 5 === 0 ? ['book club'] : [])],
  }));
  await world.callBot('PATCH', 'contacts', { data });
}

function shotsOf(botId: string, contactId: string, link: string): Shot[] {
  const bot = `/bots/${botId}`;
  const press = (name: string) => (page: Page) => page.getByRole('button', { name }).click();
  return [
    { name: 'sign-in', route: '/', title: 'Sign in', isAnonymous: true },
    { name: 'join', route: link, title: 'Join Example Ltd', isAnonymous: true },
    { name: 'bots', route: '/', title: 'Bots' },
    { name: 'widget', route: `${bot}/settings`, title: 'Harbour Books', act: untilPreviewed },
    { name: 'contacts', route: `${bot}/contacts`, title: 'Contacts' },
    { name: 'contacts-search', route: `${bot}/contacts?query=anna`, title: 'Contacts' },
    {
      name: 'contacts-selected',
      route: `${bot}/contacts?tag=regular&attributes[plan]=Gold&attributes[plan]=Silver&createdAt[gte]=-30d&sort=name`,
      title: 'Contacts',
      act: selectPage,
    },
    { name: 'contact-new', route: `${bot}/contacts`, title: 'Contacts', act: press('New contact') },
    { name: 'contact', route: `${bot}/contacts/${contactId}`, title: sampleContacts.at(0)?.name ?? '' },
    { name: 'contacts-empty', route: '/', title: 'Contacts', act: toEmptyBot },
    { name: 'import', route: `${bot}/import`, title: 'Import contacts' },
    { name: 'import-check', route: `${bot}/import`, title: 'Import contacts', act: dropFile },
    { name: 'secrets', route: '/secrets', title: 'Secrets' },
    { name: 'secret-form', route: '/secrets', title: 'Secrets', height: 930, act: fillSecret },
    { name: 'secret-new', route: '/secrets', title: 'Secrets', act: makeSecret },
    { name: 'secret-revoke', route: '/secrets', title: 'Secrets', act: askToRevoke },
    { name: 'members', route: '/members', title: 'Members' },
    { name: 'audit', route: '/audit', title: 'Audit log' },
    { name: 'account', route: '/account', title: 'Your account' },
    { name: 'not-found', route: '/nowhere', title: 'Page not found' },
  ];
}

async function untilPreviewed(page: Page): Promise<void> {
  await page.frameLocator('iframe').getByRole('dialog').waitFor();
  await page.locator('iframe').scrollIntoViewIfNeeded();
}

async function selectPage(page: Page): Promise<void> {
  await page.getByLabel('Select all on this page').check();
}

async function toEmptyBot(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Contacts of Careers' }).click();
  await page.getByText('No contacts yet').waitFor();
}

async function dropFile(page: Page): Promise<void> {
  const lines = ['First name;Surname;E-Mail;Mobile;Notes', 'Jane;Doe;jane@shop.example;+44 20 7946 0018;likes maps'];
  lines.push(
    ';;not an email;;',
    'Bob;;bob@shop.example;;',
    ';Nobody;;+1 555;',
    'Eve;Oh;eve@shop.example;+49 30 901820;',
  );
  const buffer = Buffer.from(lines.join('\r\n'));
  await page.getByLabel('CSV file').setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: /^Import \d/ }).waitFor();
}

async function fillSecret(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New secret' }).click();
  await page.getByLabel('Name').fill('Help desk');
  await page.getByLabel('Bots').selectOption('Only the bots I choose');
  await page.getByRole('checkbox', { name: 'Wholesale' }).check();
}

async function makeSecret(page: Page): Promise<void> {
  await fillSecret(page);
  await page.getByRole('button', { name: 'Create secret' }).click();
  await page.getByText('Your new secret').waitFor();
}

async function askToRevoke(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions for Nightly import' }).click();
  await page.getByRole('menuitem', { name: 'Revoke…' }).click();
  await page.getByRole('dialog').waitFor();
}

async function shoot(world: ConsoleWorld, account: Account | undefined, shots: readonly Shot[]): Promise<void> {
  for (const [size, viewport] of Object.entries(sizes)) {
    for (const colorScheme of schemes) {
      const options = { viewport, colorScheme, isMobile: size === 'phone', hasTouch: size === 'phone' };
      const anonymous = await Person.arrive(t, world, options);
      const member = await Person.arrive(t, world, { ...options, ...(account && { account }) });
      for (const { name, route, title, isAnonymous, height, act } of shots) {
        const person = isAnonymous ? anonymous : member;
        await person.page.setViewportSize(
          size === 'desktop' ? { ...viewport, height: height ?? viewport.height } : viewport,
        );
        await person.page.goto('about:blank');
        await person.goTo(route);
        if (act === undefined) await person.sees(title);
        else {
          await person.page.getByRole('heading', { level: 1 }).waitFor();
          await act(person.page);
        }
        await person.hasLoaded();
        // A frame outside the viewport is not painted, so the phone screenshot of the widget page shows the viewport
        // only.
        const isWhole = name.endsWith('widget') ? size === 'desktop' : !name.startsWith('contacts') || size === 'phone';
        const file = join(folder, `${name}-${size}-${colorScheme}.png`);
        await person.page.screenshot({
          path: file,
          fullPage: isWhole && (await person.page.getByRole('dialog').count()) === 0,
        });
      }
    }
  }
  console.log(`${shots.length * 4} screenshots are in ${folder}`);
}
