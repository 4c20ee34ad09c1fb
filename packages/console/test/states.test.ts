// What members open on a page, and pages with nothing on them, have no violation either: on a wide screen in light colors, on a phone in
// dark ones.
import { suite, test } from 'node:test';
import { startReceiver } from '../../server/test/receiver.ts';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';
import { assertNoViolations } from './violations.ts';

const world = await ConsoleWorld.start(wholeFile, { ROSTER_WEBHOOK_PRIVATE: '1' });
const account = await world.setUp();
// The check itself writes HTML, which the page's policy forbids.
const ada = await Person.arrive(wholeFile, world, { account, bypassCSP: true });
const bot = `/bots/${world.botId}`;

await world.callBot('PUT', 'attributes/plan', { type: 'text', label: 'Plan' });
await world.callBot('PUT', 'attributes/old', { type: 'text', label: 'Old' });
await world.callBot('PUT', 'attributes/tier', { type: 'choice', label: 'Tier', choices: ['Small', 'Large'] });
await world.callBot('PUT', 'segments/broken', { label: 'Broken', filter: { attributes: { old: ['x'] } } });
await world.callBot('DELETE', 'attributes/old');
const receiver = await startReceiver(wholeFile, () => 500);
const { data: webhook } = await world.callAccount(account, 'POST', `${bot.slice(1)}/webhooks`, { url: receiver.url });
const webhookPlace = `${bot}/webhooks/${(webhook as { id: string }).id}`;
const names = ['Ann', 'Bob', 'Cleo'];
const { json } = await world.callBot('PATCH', 'contacts', {
  data: names.map((name) => ({
    name,
    email: `${name}@example.com`,
    attributes: { plan: name === 'Ann' ? 'pro' : 'free', tier: 'Large' },
    tags: ['vip', 'beta'],
  })),
});
const contact = `${bot}/contacts/${json.data[0].id}`;
const { data: empty } = await world.callAccount(account, 'POST', 'bots', { name: 'Empty' });
const emptyBot = `/bots/${(empty as { id: string }).id}`;

type Act = (person: Person) => Promise<unknown>;

const shows =
  (text: string): Act =>
  ({ page }) =>
    page.getByText(text).filter({ visible: true }).first().waitFor();

/** Opens a dialog about all contacts of the page. */
const selectAnd =
  (button: string): Act =>
  async (person) => {
    await person.page.getByLabel('Select all on this page').check();
    await person.press(button);
    await person.page.getByRole('dialog').waitFor();
  };

const editChoices: Act = async (person) => {
  await person.choose('Actions for Tier', 'Edit…');
  await person.page.getByLabel('Choices *').waitFor();
};

/** Where, and what is done there until the state is shown. */
const states: Record<string, readonly [place: string, act: Act]> = {
  'a filter that is changed': [
    `${bot}/contacts?attributes[plan]=pro&attributes[plan]=free&tag=vip&createdAt[gte]=-30d`,
    async (person) => {
      await person.press('Plan is pro or free');
      await person.page.getByRole('dialog', { name: 'Plan is pro or free' }).waitFor();
    },
  ],
  'a filter of choices': [
    `${bot}/contacts`,
    async (person) => {
      await person.press('Add filter');
      await person.page.getByLabel('Field').selectOption('Tier');
      await person.page.getByRole('checkbox', { name: 'Large' }).check();
    },
  ],
  'a segment whose attribute is gone': [`${bot}/contacts?segment=broken`, shows('This segment can’t find')],
  'a new contact with a tag': [
    `${bot}/contacts`,
    async (person) => {
      await person.press('New contact');
      const field = person.page.getByRole('dialog').getByRole('combobox', { name: 'Tags', exact: true });
      await field.fill('vip');
      await field.press('Enter');
    },
  ],
  'an attribute that is set for several': [`${bot}/contacts`, selectAnd('Set attribute…')],
  'a value that several lose': [`${bot}/contacts`, selectAnd('Remove attribute value…')],
  'an export of several': [`${bot}/contacts`, selectAnd('Export…')],
  'a list with all columns': [
    `${bot}/contacts`,
    async ({ page }) => {
      const columns = ['email', 'phone', 'wid', 'mid', 'tags', 'lastSeenAt', 'createdAt', 'updatedAt'];
      await page.evaluate(
        ([id, ...keys]) => localStorage.setItem(`roster columns ${id}`, JSON.stringify(keys)),
        [world.botId, ...columns, 'attributes.plan', 'attributes.tier'],
      );
      await page.reload();
      await page.getByText('Large').first().waitFor();
    },
  ],
  'a contact with several editors open': [
    contact,
    async (person) => {
      for (const [label, value] of [
        ['Email', 'x'],
        ['Plan', 'y'],
      ] as const) {
        await person.press(`Edit ${label}`);
        await person.fill({ [label]: value });
      }
      await person.press('Edit Tier');
      await person.page.getByLabel('Add a tag').fill('late');
    },
  ],
  'choices that are edited': [`${bot}/attributes`, editChoices],
  'choices that are refused': [
    `${bot}/attributes`,
    async (person) => {
      await editChoices(person);
      await person.fill({ 'Choices *': 'Small' });
      await person.press('Save');
      await person.page.locator('[aria-invalid=true]').waitFor();
    },
  ],
  'a new attribute of choices': [
    `${bot}/attributes`,
    async (person) => {
      await person.press('New attribute');
      await person.page.getByLabel('Type').selectOption('Choice');
    },
  ],
  'deliveries that are tried again': [webhookPlace, shows('Retrying')],
  'a delivery': [
    webhookPlace,
    async ({ page }) => {
      await page.getByRole('row').filter({ hasText: 'Retrying' }).first().waitFor();
      await page.getByRole('button', { name: 'contact.created' }).first().click();
      await page.getByRole('group', { name: 'Attempts' }).waitFor();
    },
  ],
  'a test message': [
    webhookPlace,
    async (person) => {
      await person.press('Send test message');
      await shows('The receiver didn’t accept it')(person);
    },
  ],
  'no deliveries of a status': [`${webhookPlace}?status=skipped`, shows('No skipped deliveries')],
  'the audit log, narrowed': ['/audit?type=Webhooks&from=2026-01-01', shows('created a webhook')],
  'the audit log without entries': ['/audit?type=Exports', shows('No entries')],
  'the list of tasks': [
    `${bot}/contacts`,
    async (person) => {
      await selectAnd('Add tag…')(person);
      await person.fill({ Tag: 'late' });
      await person.page.getByRole('dialog').getByRole('button', { name: 'Add tag', exact: true }).click();
      await person.press('Done');
      await person.goTo('/tasks');
      await person.page.getByRole('main').getByRole('link', { name: 'Add tag “late” to 3 contacts' }).waitFor();
    },
  ],
  'results of the command palette': [
    `${bot}/contacts`,
    async ({ page }) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Page, bot, segment or contact' }).fill('an');
      await page.getByRole('option', { name: 'Ann' }).waitFor();
    },
  ],
  'a bot without attributes and tags': [`${emptyBot}/attributes`, shows('No attributes yet')],
  'a bot without webhooks': [`${emptyBot}/webhooks`, shows('No webhooks yet')],
  'a bot without activity': [`${emptyBot}/activity?type=tag.deleted`, shows('No recent events')],
  'an organization without secrets': [
    '/secrets',
    async (person) => {
      await person.page.route(/\/secrets$/, (route) => route.fulfill({ json: { data: [] } }));
      await person.page.reload();
      await shows('No secrets yet')(person);
    },
  ],
  'the home page of a new bot': ['/', shows('Get started')],
};

suite('no violation has', () => {
  for (const [what, [place, act]] of Object.entries(states)) {
    test(what, async () => {
      for (const [width, scheme] of [
        [1280, 'light'],
        [390, 'dark'],
      ] as const) {
        // A tab of its own: to leave a page with edits would mean a question, and closing a tab asks none.
        const person = await ada.openTab();
        await person.page.setViewportSize({ width, height: 800 });
        await person.goTo(place);
        await person.hasLoaded();
        await act(person);
        await person.hasLoaded();
        await assertNoViolations(person, what, scheme);
        await person.page.close();
      }
    });
  }
});
