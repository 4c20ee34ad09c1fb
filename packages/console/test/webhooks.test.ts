// The webhooks of a bot, with a real receiver: creating one, what a test message shows, and its deliveries.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { verifyWebhook } from '@roster/client';
import type { Webhook } from '@roster/contract';
import { until } from '../../server/test/process/waiting.ts';
import { type ReceivedMessage, type Receiver, startReceiver } from '../../server/test/receiver.ts';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';

// Given up after the second attempt.
const world = await ConsoleWorld.start(wholeFile, { ROSTER_WEBHOOK_PRIVATE: '1', ROSTER_WEBHOOK_RETRIES: '1' });
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
const { page } = ada;
const place = `/bots/${world.botId}/webhooks`;
const path = place.slice(1);

/** Without the page. */
async function makeWebhook(url: string): Promise<Webhook> {
  return (await world.callAccount(account, 'POST', path, { url })).data as Webhook;
}

async function readWebhook(id: string): Promise<Webhook> {
  return (await world.callAccount(account, 'GET', `${path}/${id}`)).data as Webhook;
}

let contacts = 0;
/** Returns the id of a new contact, which makes an event. */
async function makeContact(): Promise<string> {
  contacts += 1;
  const { json } = await world.callBot('PUT', 'contacts', { name: 'Jane', email: `jane-${contacts}@example.com` });
  return json.data.id;
}

async function openWebhook({ id, url }: Webhook): Promise<void> {
  await ada.goTo(`${place}/${id}`);
  await ada.sees(new URL(url).host);
  await ada.hasLoaded();
}

/** Of the list of deliveries: the first row is the title. */
const rowWith = (text: string) => page.getByRole('row').filter({ hasText: text });

/** The value beside a title of the details. */
const detail = (title: string) =>
  page.locator('dl > div', { has: page.getByText(title, { exact: true }) }).locator('dd');

async function secretShown(): Promise<string> {
  return page.getByLabel('The secret', { exact: true }).innerText();
}

/**
 * Members are shown no response of a private address, which those of the tests are: the page gets one as of a public address, until
 * the returned function is called.
 */
async function showResponse(pattern: string, response: string): Promise<() => Promise<void>> {
  await page.route(pattern, async (route) => {
    const reply = await route.fetch();
    const { data, ...more } = await reply.json();
    const shown = Array.isArray(data) ? data.map((each) => ({ ...each, response })) : { ...data, response };
    await route.fulfill({ response: reply, json: { data: shown, ...more } });
  });
  return () => page.unroute(pattern);
}

async function sendTest(receiver: Receiver): Promise<ReceivedMessage> {
  const before = receiver.received.length;
  await ada.press('Send test message');
  await until('the test message', () => receiver.received.length > before);
  await page.getByText(/^The receiver (accepted|didn’t accept) it$/).waitFor();
  return receiver.received[before] as ReceivedMessage;
}

suite('a new webhook', () => {
  test('says what is wrong at the field that it is about', async () => {
    await ada.goTo(place);
    await page.getByText('No webhooks yet').waitFor();
    const guide = page.getByRole('link', { name: 'How to receive events' });
    assert.equal(await guide.getAttribute('href'), `${world.url}/docs/guide/webhooks`);
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    await ada.fill({ 'URL *': 'ftp://shop.example.com' });
    await page.getByLabel('Events').selectOption('Only the types I choose');
    await ada.press('Create webhook');
    await page.getByText('Must be a URL, like https://shop.example.com/hooks/roster.').waitFor();
    await page.getByText('Choose at least one type.').waitFor();
    const field = page.getByLabel('URL *', { exact: true });
    await field.and(page.locator(':focus')).waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await ada.press('Cancel');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('shows its secret once, which verifies the messages of the chosen types', async (t) => {
    const receiver = await startReceiver(t);
    await ada.goTo(place);
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    await ada.fill({ 'URL *': receiver.url, Description: 'Our CRM' });
    await page.getByLabel('Events').selectOption('Only the types I choose');
    await page.getByRole('checkbox', { name: 'contact.created' }).check();
    await page.getByRole('checkbox', { name: 'tag.deleted' }).check();
    await ada.press('Create webhook');
    const secret = await secretShown();
    assert.match(secret, /^whsec_/);
    // A click beside it must not lose it.
    await page.keyboard.press('Escape');
    assert.equal(await secretShown(), secret);
    await ada.press('I’ve saved it');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(secret), 'it is nowhere any more');

    const row = rowWith('Our CRM');
    assert.match(await row.innerText(), /contact\.created\s+tag\.deleted\s+On/);
    await row.getByRole('link', { name: receiver.url }).click();
    await ada.sees(new URL(receiver.url).host);
    const { text, headers } = await sendTest(receiver);
    assert.equal((await verifyWebhook(text, headers, secret)).type, 'webhook.test');
    const contactId = await makeContact();
    await until('the event', () => receiver.accepted.length === 2);
    assert.equal(receiver.accepted[1]?.message.data.contact?.id, contactId);
  });

  test('is edited, and what a colleague has changed meanwhile is kept', async (t) => {
    const webhook = await makeWebhook((await startReceiver(t)).url);
    await openWebhook(webhook);
    await ada.press('Edit');
    await page.getByLabel('Events').selectOption('Only the types I choose');
    await page.getByRole('checkbox', { name: 'contact.deleted' }).check();
    await world.callAccount(account, 'PATCH', `${path}/${webhook.id}`, { description: 'Of a colleague' });
    await ada.press('Save');
    await ada.seesNotice('Saved.');
    await detail('Description').getByText('Of a colleague').waitFor();
    assert.equal(await detail('Events').innerText(), 'contact.deleted');
    const { types, url } = await readWebhook(webhook.id);
    assert.deepEqual([types, url], [['contact.deleted'], webhook.url]);
    await ada.press('Edit');
    await page.getByLabel('Events').selectOption('All events, including future types');
    await ada.press('Save');
    await ada.seesNotice('Saved.');
    assert.equal((await readWebhook(webhook.id)).types, null);
  });
});

suite('a test message', () => {
  test('shows that the receiver accepted it, why it did not, or that there was no response', async (t) => {
    const receiver = await startReceiver(t, (_, response) => {
      response.writeHead(200).end('Thank you');
      return undefined;
    });
    await openWebhook(await makeWebhook(receiver.url));
    const result = page.getByRole('region', { name: 'Test message' });
    await sendTest(receiver);
    assert.match(await result.innerText(), /Status 200 after [\d,]+ ms\.$/, 'the response of a private address');
    const hideThanks = await showResponse('**/test', '<b>Thank you</b>');
    await sendTest(receiver);
    assert.match(
      await result.innerText(),
      /The receiver accepted it\s+Status 200 after [\d,]+ ms\.\s+Response\s+<b>Thank you<\/b>/,
    );

    await hideThanks();
    const hide = await showResponse('**/test', 'Unknown signature');
    receiver.answerWith(() => 401);
    await sendTest(receiver);
    await result.getByText('Unknown signature').waitFor();
    assert.match(await result.innerText(), /The receiver didn’t accept it\s+Status 401 after/);

    await hide();
    await receiver.stop();
    await ada.press('Send test message');
    await result.getByText('No response').waitFor();
    await result.getByText(/refused/i).waitFor();
  });
});

suite('deliveries', () => {
  test('a pending one becomes a failed one while the page is open; it is looked at, found by its status, and retried', async (t) => {
    const receiver = await startReceiver(t, () => 503);
    t.after(await showResponse('**/deliveries*', 'Closed for maintenance'));
    const webhook = await makeWebhook(receiver.url);
    const contactId = await makeContact();
    await until('the first attempt', () => receiver.received.length > 0);
    await openWebhook(webhook);
    const row = rowWith('contact.created');
    await row.getByText('Failed', { exact: true }).waitFor();
    const link = row.getByRole('link');
    assert.equal(await link.getAttribute('href'), `#/bots/${world.botId}/contacts/${contactId}`);
    assert.match(await row.innerText(), /Status 503\s+2\s/);
    await page.getByText('Every delivery has failed since').waitFor();

    await page.getByLabel('Status of deliveries').selectOption('Succeeded');
    await page.getByText('No succeeded deliveries').waitFor();
    await page.getByLabel('Status of deliveries').selectOption('Failed');
    await page.getByRole('button', { name: 'contact.created' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delivery of contact.created' });
    await dialog.getByText('Closed for maintenance').waitFor();
    await dialog.getByText(String(receiver.received[0]?.id), { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Status of deliveries').selectOption('All deliveries');

    receiver.answerWith(() => 204);
    await row.getByRole('button', { name: 'Retry' }).click();
    await ada.seesNotice('The event is being sent again.');
    await row.getByText('Succeeded', { exact: true }).waitFor();
    await page.getByText('Every delivery has failed since').waitFor({ state: 'detached' });
    const ids = new Set(receiver.received.map(({ id }) => id));
    assert.equal(ids.size, 1, 'all attempts have the same id');
  });

  test('new ones appear while the page is open; all that failed are retried at once, and one is skipped', async (t) => {
    const receiver = await startReceiver(t, () => 500);
    const webhook = await makeWebhook(receiver.url);
    await openWebhook(webhook);
    await page.getByText('No deliveries yet').waitFor();
    await makeContact();
    const row = rowWith('contact.created');
    await row.getByText('Failed', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'contact.created' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delivery of contact.created' });
    const attempts = dialog.getByRole('group', { name: 'Attempts' }).getByRole('row');
    await attempts.nth(2).getByText('Status 500').waitFor();
    assert.equal(await attempts.count(), 3);
    const request = await dialog.getByLabel('Request', { exact: true }).innerText();
    assert.ok(request.includes(`webhook-id: ${receiver.received[0]?.id}`) && !request.includes('signature'), request);
    assert.match(request, /"type": "contact\.created"/);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();

    await ada.press('Retry all failed');
    await ada.seesNotice('Retrying 1 failed delivery.');
    await until('two more attempts', () => receiver.received.length === 4);
    await row.getByText('Failed', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'contact.created' }).click();
    await ada.press('Skip this event');
    await ada.seesNotice('The event was skipped.');
    await row.getByText('Skipped', { exact: true }).waitFor();
    await ada.press('Retry all failed');
    await ada.seesNotice('No failed deliveries.');
  });

  test('one that succeeded is sent again from its details, and a replay sends all', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = await makeWebhook(receiver.url);
    const contactId = await makeContact();
    await until('the delivery', () => receiver.accepted.length === 1);
    await openWebhook(webhook);
    await page.getByRole('button', { name: 'contact.created' }).click();
    await ada.press('Send again');
    await ada.seesNotice('The event is being sent again.');
    await until('the second message', () => receiver.accepted.length === 2);
    assert.equal(receiver.accepted[1]?.id, receiver.accepted[0]?.id);

    // The page looks for the deliveries of a replay for some seconds, which here do not pass.
    await page.evaluate(() => {
      const nowMs = Date.now();
      Date.now = () => nowMs;
    });
    await ada.press('Replay…');
    await ada.press('Replay events');
    await ada.seesNotice('Events are being sent again.');
    const countOf = (id: string | undefined) => receiver.accepted.filter((message) => message.id === id).length;
    await until('the replayed message', () => countOf(receiver.accepted[0]?.id) === 3);
    // The events of the contacts from before the webhook too.
    await page.getByRole('row').nth(contacts).waitFor();
    const newest = page.getByRole('row').nth(1).getByRole('link');
    assert.equal(await newest.getAttribute('title'), contactId);
    await page.reload();
  });

  test('more of them are loaded when they are asked for, each once', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = await makeWebhook(receiver.url);
    const data = Array.from({ length: 60 }, (_, at) => ({ name: 'Many', email: `many-${at}@example.com` }));
    await world.callBot('PATCH', 'contacts', { data });
    await until('all deliveries', () => receiver.accepted.length === data.length);
    await openWebhook(webhook);
    await ada.press('Load more');
    await page.getByRole('row').nth(data.length).waitFor();
    const hrefs = await page
      .getByRole('row')
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    assert.equal(hrefs.length, data.length);
    assert.equal(new Set(hrefs).size, data.length);
    contacts += data.length;
  });
});

suite('a webhook', () => {
  test('whose secret is rotated shows the new one once, and messages are signed with both', async (t) => {
    const receiver = await startReceiver(t);
    const { secret: old, ...webhook } = (await makeWebhook(receiver.url)) as Webhook & { secret: string };
    await openWebhook(webhook);
    await ada.choose('Actions', 'Rotate secret…');
    await page.getByText('For 24 hours, messages are signed with both secrets').waitFor();
    await ada.press('Rotate secret');
    const secret = await secretShown();
    assert.notEqual(secret, old);
    await ada.press('I’ve saved it');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(!(await page.content()).includes(secret), 'it is nowhere any more');
    const { text, headers } = await sendTest(receiver);
    for (const each of [secret, old]) assert.equal((await verifyWebhook(text, headers, each)).type, 'webhook.test');
  });

  test('that is switched off sends nothing until it is switched on, and then what it has missed', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = await makeWebhook(receiver.url);
    await openWebhook(webhook);
    await ada.choose('Actions', 'Turn off…');
    await ada.press('Turn off');
    await ada.seesNotice('Turned off.');
    await page.getByText('This webhook is off.').waitFor();
    assert.equal(await detail('State').innerText(), 'Off');
    assert.equal((await readWebhook(webhook.id)).isEnabled, false);
    const contactId = await makeContact();
    await sendTest(receiver);
    assert.equal(receiver.received.length, 1, 'only the test message');
    await ada.choose('Actions', 'Turn on');
    await ada.seesNotice('Turned on.');
    await detail('State').getByText('On', { exact: true }).waitFor();
    await until('the event', () => receiver.accepted.length === 2);
    assert.equal(receiver.accepted[1]?.message.data.contact?.id, contactId);
  });

  test('whose receiver is gone is shown as switched off by Roster, and is switched on again', async (t) => {
    const receiver = await startReceiver(t, () => 410);
    const webhook = await makeWebhook(receiver.url);
    await makeContact();
    await until('it is off', async () => !(await readWebhook(webhook.id)).isEnabled);
    await ada.goTo(place);
    const row = rowWith(receiver.url);
    assert.match(await row.innerText(), /Turned off\s+The receiver is gone/);
    await row.getByRole('link').click();
    await page.getByText('the receiver responded with 410 Gone').waitFor();
    receiver.answerWith(() => 204);
    await ada.press('Turn on');
    await ada.seesNotice('Turned on.');
    await page.getByText('the receiver responded with 410 Gone').waitFor({ state: 'detached' });
    await until('the event', () => receiver.accepted.length === 1);
  });

  test('is deleted, and the list no longer has it', async (t) => {
    const receiver = await startReceiver(t);
    const webhook = await makeWebhook(receiver.url);
    await openWebhook(webhook);
    await ada.choose('Actions', 'Delete…');
    await ada.press('Delete webhook');
    await ada.seesNotice('The webhook was deleted.');
    await ada.sees('Webhooks');
    await rowWith(receiver.url).waitFor({ state: 'detached' });
    await ada.goTo(`${place}/${webhook.id}`);
    await page.getByRole('alert').getByText('Not found').waitFor();
  });
});

suite('a viewer', () => {
  test('sees no webhooks, in the menu or by their address', async (t) => {
    const viewer = await world.invite(account, 'viewer', 'Vic', 'vic@example.com');
    const vic = await Person.arrive(t, world, { account: viewer });
    await vic.goTo(`/bots/${world.botId}/contacts`);
    await vic.sees('My bot');
    const menu = vic.page.getByRole('navigation', { name: 'Console' });
    await menu.getByRole('link', { name: 'Widget' }).waitFor();
    assert.equal(await menu.getByRole('link', { name: 'Webhooks' }).count(), 0);
    await vic.goTo(place);
    await vic.page.getByRole('alert').getByText('You don’t have permission to do this').waitFor();
    assert.equal(await vic.page.getByRole('button', { name: 'New webhook' }).count(), 0);
    await vic.page.keyboard.press('Control+k');
    await vic.page.getByRole('option', { name: 'Widget' }).waitFor();
    assert.equal(await vic.page.getByRole('option', { name: 'Webhooks' }).count(), 0);
  });
});
