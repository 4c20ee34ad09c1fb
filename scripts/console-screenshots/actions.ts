// What a person does on a page before its screenshot is taken.
import type { Person } from '../../packages/console/test/console-world.ts';
import { sampleContacts } from './sample-contacts.ts';

export const press = (name: string | RegExp) => async (person: Person) => {
  await person.page.getByRole('button', { name, exact: true }).first().click();
};

/** Opens a dialog by a button. */
export const openBy = (name: string) => async (person: Person) => {
  await press(name)(person);
  await person.page.getByRole('dialog').waitFor();
};

export const chooseFrom = (menu: string, item: string) => async (person: Person) => {
  await person.choose(menu, item);
  await person.page.getByRole('dialog').waitFor();
};

export const openMenu = (name: string) => async (person: Person) => {
  await press(name)(person);
  await person.page.getByRole('menu').waitFor();
};

/** The chart is loaded after the page. */
export const untilDrawn = (person: Person) => person.page.locator('canvas').waitFor();

export async function untilPreviewed({ page }: Person): Promise<void> {
  await page.frameLocator('iframe').getByRole('dialog').waitFor();
  await page.locator('iframe').scrollIntoViewIfNeeded();
}

export async function previewDark(person: Person): Promise<void> {
  await untilPreviewed(person);
  for (const choice of ['Contact', 'Dark']) await person.page.getByText(choice, { exact: true }).last().click();
  await person.page.frameLocator('iframe').getByText('Jane Doe').first().waitFor();
}

export async function untilOutage({ page }: Person): Promise<void> {
  await page.getByText('Can’t reach the server').first().waitFor();
}

export async function untilDiskFull({ page }: Person): Promise<void> {
  await page.getByText('The server’s disk is full.').waitFor();
}

/** For this page alone: the others of the browser stay online. */
export async function goOffline(person: Person): Promise<void> {
  await person.hasLoaded();
  await person.page.evaluate(`
    Object.defineProperty(navigator, 'onLine', { value: false });
    dispatchEvent(new Event('offline'));
  `);
}

export async function untilFailure({ page }: Person): Promise<void> {
  await page.getByRole('alert').waitFor();
}

export async function selectPage({ page }: Person): Promise<void> {
  await page.getByLabel('Select all on this page').check();
}

export async function untilPeeked(person: Person): Promise<void> {
  await person.page.getByRole('region', { name: 'Contact', exact: true }).waitFor();
  await person.hasLoaded();
}

export async function showShortcuts(person: Person): Promise<void> {
  await person.page.keyboard.press('?');
  await person.page.getByRole('dialog').waitFor();
}

export async function addFilter(person: Person): Promise<void> {
  await person.press('Add filter');
  await person.page.getByLabel('Field').selectOption('Orders');
  await person.page.getByLabel('Condition').selectOption('is at least');
  await person.page.getByLabel('Value').fill('5');
}

export async function changeFilter(person: Person): Promise<void> {
  await person.press('Plan is Gold or Silver');
  await person.page.getByRole('dialog').waitFor();
}

export const actOnPage = (name: string | RegExp) => async (person: Person) => {
  await selectPage(person);
  await press(name)(person);
  await person.page.getByRole('dialog').waitFor();
};

/** All of them have the tag, so that the contacts look the same in further screenshots. */
export async function tagPage(person: Person): Promise<void> {
  await actOnPage('Add tag…')(person);
  await person.fill({ Tag: 'regular' });
  await person.press('Add tag');
  await person.page.getByRole('button', { name: 'Done' }).waitFor();
}

export async function sendInvalidContact(person: Person): Promise<void> {
  await person.press('New contact');
  await person.fill({ 'Name *': 'Anna', 'Email *': 'not an email' });
  await person.press('Create contact');
  await person.page.getByRole('alert').waitFor();
}

export async function leaveEdits(person: Person): Promise<void> {
  await person.press('New contact');
  await person.fill({ 'Name *': 'Anna' });
  await person.page.keyboard.press('Escape');
  await person.page.getByRole('button', { name: 'Keep editing' }).waitFor();
}

export async function toEmptyBot({ page }: Person): Promise<void> {
  await page.getByRole('link', { name: 'Contacts of Careers' }).click();
  await page.getByText('No contacts yet').waitFor();
}

export async function dropImage({ page }: Person): Promise<void> {
  const buffer = Buffer.from('89504e470d0a1a0a', 'hex');
  await page.getByLabel('CSV file').setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer });
  await page.getByRole('alert').waitFor();
}

export async function dropFile({ page }: Person): Promise<void> {
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

export async function keepColumns(person: Person): Promise<void> {
  const { page } = person;
  const lines = [
    'Name;Email;Plan;Groups;Company size;Customer since',
    'Jane Doe;jane@shop.example;Gold;regular,vip;12;2024-03-01',
  ];
  const buffer = Buffer.from([...lines, 'Eve Oh;eve@shop.example;Free;;140;2025-11-20'].join('\n'));
  await page.getByLabel('CSV file').setInputFiles({ name: 'crm.csv', mimeType: 'text/csv', buffer });
  await page.getByLabel('Field for Groups').selectOption('Tags');
  await person.press('Keep skipped columns as attributes');
  await page.getByLabel('Add a tag to every contact').fill('from the old CRM');
  await page.getByText('(company_size): number').waitFor();
  await page.getByRole('button', { name: 'Import 2 contacts', disabled: false }).waitFor();
}

/** The contacts exist already, so that they look the same in further screenshots. */
export async function importFile({ page }: Person): Promise<void> {
  const known = sampleContacts.slice(0, 5).map(({ email }) => email);
  const buffer = Buffer.from(['email', ...known, 'not an email'].join('\n'));
  await page.getByLabel('CSV file').setInputFiles({ name: 'known.csv', mimeType: 'text/csv', buffer });
  await page.getByRole('button', { name: /^Import \d/ }).click();
  await page.getByRole('link', { name: 'View contacts' }).waitFor();
}

export async function toTasks(person: Person): Promise<void> {
  await importFile(person);
  await person.goTo('/tasks');
  await person.page.getByRole('link', { name: 'known.csv' }).first().waitFor();
}

/** The edits are not saved, so that the contact looks the same in further screenshots. */
export async function editContact(person: Person): Promise<void> {
  await person.press('Edit Email');
  await person.fill({ Email: 'not an email' });
  await person.page.keyboard.press('Enter');
  await person.page.locator('[aria-invalid=true]').waitFor();
  await person.press('Edit Orders');
  await person.fill({ Orders: '12' });
  await person.press('Edit Favorite genre');
}

export async function newChoice(person: Person): Promise<void> {
  await openBy('New attribute')(person);
  await person.page.getByLabel('Type').selectOption('Choice');
  await person.fill({ 'Name *': 'Size', 'Choices *': 'Small\nMedium\nLarge' });
}

export async function signInWrongly(person: Person): Promise<void> {
  await person.fill({ 'Email *': 'maya@example.com', 'Password *': 'not the password' });
  await person.press('Sign in');
  await person.page.getByRole('alert').waitFor();
}

export async function openNavigation({ page }: Person): Promise<void> {
  const button = page.getByRole('button', { name: 'Open the menu' });
  // A wide page has the menu beside it.
  if (!(await button.isVisible())) return;
  await button.click();
  await page.getByRole('dialog').waitFor();
}

export async function openAccountMenu(person: Person): Promise<void> {
  await openNavigation(person);
  await person.page.getByRole('button', { name: 'Maya Lindqvist Owner' }).click();
  await person.page.getByRole('menu').waitFor();
}

export const search = (typed: string) => async (person: Person) => {
  await person.page.keyboard.press('Control+k');
  await person.page.getByRole('combobox', { name: 'Page, bot, segment or contact' }).fill(typed);
};

export async function fillSecret(person: Person): Promise<void> {
  const { page } = person;
  await person.press('New secret');
  await page.getByLabel('Name').fill('Help desk');
  await page.getByLabel('Bots').selectOption('Only the bots I choose');
  await page.getByRole('checkbox', { name: 'Wholesale' }).check();
}

export async function makeSecret(person: Person): Promise<void> {
  await fillSecret(person);
  await person.press('Create secret');
  await person.page.getByText('Your new secret').waitFor();
}
