// The first day of a shop, as one story in which each test goes on where the one before has ended: a newcomer sets Roster up, imports a
// messy list of customers, invites a colleague who may only look, connects a receiver that fails at first, and takes out her phone.
// Everything is real: the server, the browsers and the receiver.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startReceiver } from '../../server/test/receiver.ts';
import { ConsoleWorld, Person, password, wholeFile } from './console-world.ts';
import { assertSizedForFingers } from './phone.ts';

/** A delivery is given up after its second attempt, which comes a second after the first, or when the receiver says. */
const world = await ConsoleWorld.start(wholeFile, { ROSTER_WEBHOOK_PRIVATE: '1', ROSTER_WEBHOOK_RETRIES: '1' });
const nia = await Person.arrive(wholeFile, world);
const { page } = nia;
const bot = `/bots/${world.botId}`;
const owner = 'nia@books.example';

/** Of each thousand lines of the file, one has an invalid email, one is blank, one repeats a customer, and one has a bad number. */
const thousands = 40;
const lines = thousands * 1000;
/** Without the lines that are blank, rejected, or about a customer whom the file has already. */
const customers = lines - 3 * thousands;
const number = (value: number) => value.toLocaleString('en');

/** As a spreadsheet in Germany saves it: semicolons, Windows' letters, and German words for yes and no. */
function messyFile(): Buffer {
  const rows = Array.from({ length: lines }, (_, at) => {
    const email = `customer${at}@books.example`;
    const rest = `${at % 2 ? 'ja' : 'nein'};Gold`;
    switch (at % 1000) {
      case 1:
        return `Wrong ${at};not an email;;${rest}`;
      case 2:
        return ';;;;';
      case 3:
        return `Again ${at};CUSTOMER${at - 3}@BOOKS.EXAMPLE;;${rest}`;
      case 4:
        return `Short ${at};${email};12;${rest}`;
      case 5:
        return `"Zoë; ""Z"" ${at}"; ${email} ;;${rest}`;
      default:
        return `José Núñez ${at};${email};+49 30 ${100_000 + at};${rest}`;
    }
  });
  return Buffer.from(['Full name;E-Mail;WhatsApp;Newsletter;Plan', ...rows].join('\r\n'), 'latin1');
}

async function counts(): Promise<string> {
  return (await page.locator('dl dt, dl dd').allInnerTexts()).join(' ');
}

test('a newcomer sets up her shop, and the home page leads to her first contacts', async () => {
  await nia.goTo(new URL(world.setUpUrl).hash.slice(1));
  await nia.fill({ 'Organization *': 'Nordic Books', 'Your name *': 'Nia', 'Email *': owner, 'Password *': password });
  await nia.press('Set up');
  await nia.sees('Home');
  await page.getByText('0 of 4 done').waitFor();
  await page.getByRole('link', { name: 'Go to contacts' }).click();
  await page.getByText('No contacts yet').waitFor();
});

test('a messy file of all customers is imported while she does something else, and every line is accounted for', async () => {
  await page.getByRole('link', { name: 'Import a CSV' }).click();
  const file = { name: 'customers.csv', mimeType: 'text/csv', buffer: messyFile() };
  await page.getByLabel('CSV file').setInputFiles(file);
  await nia.press('Keep skipped columns as attributes');
  await page.getByText('Newsletter (newsletter): yes or no').waitFor();
  await page.getByLabel('Leave out invalid cells').check();
  const start = page.getByRole('button', { name: `Import ${number(customers)} contacts` });
  await start.waitFor();
  const ready = number(lines - 2 * thousands);
  const others = `rejected ${thousands} blank ${thousands}`;
  assert.equal(await counts(), `rows ${number(lines)} ready ${ready} ${others}`);

  // The rest of the file waits until she has left the page, however fast the machine is.
  const left = Promise.withResolvers<void>();
  let requests = 0;
  await page.route(`**${bot}/contacts?*`, async (route) => {
    if (++requests > thousands / 4) await left.promise;
    await route.continue();
  });
  await start.click();
  await nia.sees('customers.csv');
  await page.getByText(/^[1-9][\d,]* created, 0 updated/).waitFor();
  await page.getByRole('link', { name: 'Members' }).click();
  await nia.sees('Members');
  const pill = page.getByLabel('Sidebar').getByRole('link', { name: 'customers.csv' });
  await pill.getByText(/^[1-9]\d?%$/).waitFor();
  const asks = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
  assert.equal(await asks(), true, 'closing the tab would end it');
  left.resolve();
  await pill.getByText('Done').waitFor();
  assert.equal(await asks(), false);

  await pill.click();
  await nia.sees('customers.csv');
  const written = await page.getByText(/^[\d,]+ created, /).innerText();
  assert.equal(written, `${number(customers)} created, 0 updated, 0 unchanged.`);
  assert.equal(await counts(), `rows ${number(lines)} imported ${ready} ${others}`);
  const [, rejected = ''] = await page.getByLabel('Rejected rows').getByRole('row').allInnerTexts();
  assert.match(rejected, RegExp(`^${thousands}\\s+Email\\s.*not an email line 3$`));
  const [, leftOut = ''] = await page.getByLabel('Cells left out').getByRole('row').allInnerTexts();
  assert.match(leftOut, RegExp(`^${thousands}\\s+WhatsApp\\s.*12 line 6$`));
  await page.getByRole('link', { name: 'View contacts' }).click();
  await page.getByText(`${number(customers)} contacts`, { exact: true }).waitFor();
});

test('a colleague who may only look sees the contacts, and can neither change nor export them', async (t) => {
  const email = 'vic@books.example';
  await page.getByRole('link', { name: 'Members' }).click();
  const vic = await nia.welcomeViewer(t, 'Vic', email);
  await vic.page.getByRole('navigation').getByRole('link', { name: 'My bot', exact: true }).click();
  await vic.page.getByText(`${number(customers)} contacts`, { exact: true }).waitFor();
  await vic.page.getByLabel('Search contacts').fill('Núñez 4321');
  await vic.page.getByRole('cell', { name: 'customer4321@books.example' }).click();
  const panel = vic.page.getByRole('region', { name: 'Contact', exact: true });
  await panel.getByText('Gold', { exact: true }).waitFor();
  await vic.hasLoaded();
  const offers = /New|Import|Export|Select|Edit|Add(?! filter)|Remove|Delete|Revoke|Save/;
  assert.deepEqual(await vic.page.getByRole('button', { name: offers }).allInnerTexts(), []);
  assert.equal(await vic.page.getByRole('checkbox').count(), 0);

  const id = new URLSearchParams(vic.page.url().split('?')[1]).get('peek');
  const account = await world.enter('session', { email, password }, email);
  const path = bot.slice(1);
  await assert.rejects(world.callAccount(account, 'PATCH', `${path}/contacts/${id}`, { name: 'Changed' }), /: 403 /);
  await assert.rejects(world.callAccount(account, 'GET', `${path}/export`), /: 403 /);
  await vic.goTo(`${bot}/webhooks`);
  await vic.page.getByRole('alert').getByText('You don’t have permission to do this').waitFor();
  assert.equal(await vic.page.getByRole('button', { name: 'Try again' }).count(), 0, 'it would be in vain');
});

test('a receiver that fails says so in amber, with the time of the next attempt; once it works, all is delivered', async (t) => {
  const receiver = await startReceiver(t, (_, response) => {
    response.writeHead(500, { 'retry-after': '3600' }).end();
    return undefined;
  });
  const create = async (name: string) => {
    const { json } = await world.callBot('PUT', 'contacts', { name, email: `${name}@books.example` });
    return page.getByRole('row').filter({ has: page.locator(`a[href$="${json.data.id}"]`) });
  };
  await nia.goTo(`${bot}/webhooks`);
  await nia.press('New webhook');
  await nia.fill({ 'URL *': receiver.url, Description: 'The newsletter' });
  await nia.press('Create webhook');
  await nia.press('I’ve saved it');
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByText('No deliveries yet').waitFor();

  const late = await create('late');
  const badge = late.getByText('Retrying', { exact: true });
  await badge.waitFor();
  const amber = await page.evaluate(() => getComputedStyle(document.body).getPropertyValue('--warn'));
  const [red = 0, green = 0, blue = 0] = (amber.match(/[\da-f]{2}/g) ?? []).map((part) => Number.parseInt(part, 16));
  const label = badge.locator('xpath=ancestor-or-self::*[contains(@class, "Badge-root")]');
  assert.equal(await label.evaluate((it) => getComputedStyle(it).color), `rgb(${red}, ${green}, ${blue})`);
  const next = late.getByRole('cell').nth(5).locator('time');
  const minutes = (Date.parse((await next.getAttribute('datetime')) ?? '') - Date.now()) / 60_000;
  assert.ok(minutes > 30 && minutes <= 60, `${minutes}`);

  receiver.answerWith(() => 500);
  const given = await create('given-up');
  await given.getByText('Failed', { exact: true }).waitFor();
  await page.getByText('Every delivery has failed since').waitFor();

  receiver.answerWith(() => 204);
  await nia.press('Retry all failed');
  await nia.seesNotice('Retrying 1 failed delivery.');
  await given.getByText('Succeeded', { exact: true }).waitFor();
  // It does not wait for the hour that the receiver had asked for.
  await late.getByText('Succeeded', { exact: true }).waitFor();
  await page.getByText('Every delivery has failed since').waitFor({ state: 'detached' });
});

test('on a phone the same contacts fit the screen and the fingers', async (t) => {
  const account = await world.enter('session', { email: owner, password }, owner);
  const options = { account, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
  const phone = await Person.arrive(t, world, options);
  const fits = async () => {
    const [wanted, width] = await phone.page.evaluate(
      () => [document.documentElement.scrollWidth, innerWidth] as const,
    );
    assert.ok(wanted <= width, `${wanted} of ${width} pixels`);
    await assertSizedForFingers(phone.page);
  };
  await phone.goTo(`${bot}/contacts?query=4321@`);
  await phone.page.getByRole('banner').getByRole('link', { name: 'My bot' }).waitFor();
  await phone.page.getByText('customer4321@books.example').waitFor();
  assert.equal(await phone.page.getByText('Ctrl K').filter({ visible: true }).count(), 0, 'a phone has no such keys');
  await fits();
  await phone.page.getByText('customer4321@books.example').tap();
  await phone.sees('José Núñez 4321');
  await phone.hasLoaded();
  await fits();

  // The link of a colleague who has a panel open beside the list.
  const id = phone.page.url().match(/con_\w+/)?.[0];
  await phone.goTo(`${bot}/contacts?query=4321@&peek=${id}`);
  const panel = phone.page.getByRole('region', { name: 'Contact', exact: true });
  await panel.getByText('Gold', { exact: true }).waitFor();
  await phone.hasLoaded();
  assert.equal((await panel.boundingBox())?.width, 390);
  await fits();
  await panel.getByRole('button', { name: 'Close panel' }).tap();
  await panel.waitFor({ state: 'detached' });
  await phone.page.getByText('customer4321@books.example').waitFor();
});
