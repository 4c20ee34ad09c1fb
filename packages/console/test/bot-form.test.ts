// The settings form of a bot: channels, and greetings in other languages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });

test('channels and greetings in other languages are edited in rows, and each error is on its field', async () => {
  const { data } = await world.callAccount(account, 'POST', 'bots', { name: 'Spoken bot' });
  const path = `bots/${(data as { id: string }).id}`;
  await ada.goTo(`/${path}/settings`);
  await ada.sees('Spoken bot');
  const preview = ada.page.frameLocator('iframe').getByRole('dialog');
  await preview.waitFor();
  const row = (name: string) => ada.page.getByRole('group', { name, exact: true });
  const field = (name: string, label: string) => row(name).getByLabel(label, { exact: true });
  const stored = async () => {
    const { channels, greetings } = (await world.callAccount(account, 'GET', path)).data as Record<string, unknown>;
    return { channels, greetings };
  };

  const suggestion = ada.page.getByText('Add a channel so visitors can reach you.');
  await suggestion.waitFor();
  for (const label of ['Add channel', 'Add channel', 'Add channel', 'Add language', 'Add language'])
    await ada.press(label);
  assert.equal(await suggestion.count(), 0);
  await field('Channel 1', 'WhatsApp number').fill('+1 555 010 0123');
  await field('Channel 2', 'Type').selectOption('Link');
  await field('Channel 2', 'Link address').fill('http://example.com/help');
  await field('Channel 2', 'Button text').fill('Help center');
  await field('Channel 3', 'Type').selectOption('Email');
  await field('Channel 3', 'Email address').fill('help');
  await field('Greeting 1', 'Language').fill('de');
  await field('Greeting 1', 'Greeting text').fill('Hallo!');
  await field('Greeting 2', 'Language').fill('DE');
  await row('Greeting 2').getByText('This language already has a greeting.').waitFor();
  assert.ok(await ada.page.getByRole('button', { name: 'Save' }).isDisabled());
  await field('Greeting 2', 'Language').fill('german');
  await field('Greeting 2', 'Greeting text').fill('Servus!');
  await ada.press('Save');
  const isInvalid = async (name: string, label: string) =>
    (await field(name, label).getAttribute('aria-invalid')) === 'true';
  await row('Channel 2').getByText('https://').waitFor();
  assert.deepEqual(
    [
      await isInvalid('Channel 1', 'WhatsApp number'),
      await isInvalid('Channel 2', 'Link address'),
      await isInvalid('Channel 2', 'Button text'),
      await isInvalid('Channel 3', 'Email address'),
      await isInvalid('Greeting 1', 'Language'),
      await isInvalid('Greeting 2', 'Language'),
      await isInvalid('Greeting 2', 'Greeting text'),
    ],
    [false, true, false, true, false, true, false],
  );

  // The third row is the second now, and has kept its error.
  await ada.press('Remove channel 2');
  assert.ok(await isInvalid('Channel 2', 'Email address'));
  await field('Channel 2', 'Email address').fill('help@example.com');
  await field('Greeting 2', 'Language').fill('pt-br');
  await preview.getByRole('link', { name: 'help@example.com' }).waitFor();
  await ada.press('Save');
  await ada.seesNotice('Saved.');
  assert.deepEqual(await stored(), {
    channels: [
      { type: 'whatsapp', value: '+15550100123', label: '' },
      { type: 'email', value: 'help@example.com', label: '' },
    ],
    greetings: { de: 'Hallo!', 'pt-BR': 'Servus!' },
  });

  await ada.press('Remove channel 1');
  await ada.press('Remove greeting 2');
  await ada.press('Remove greeting 1');
  await ada.press('Save');
  await ada.seesNotice('Saved.');
  assert.deepEqual(await stored(), {
    channels: [{ type: 'email', value: 'help@example.com', label: '' }],
    greetings: {},
  });
});

test('the preview follows the form without a new frame or widget, and shows a guest or a contact, light or dark', async () => {
  const { data } = await world.callAccount(account, 'POST', 'bots', { name: 'Shown bot' });
  await ada.goTo(`/bots/${(data as { id: string }).id}/settings`);
  await ada.sees('Shown bot');
  const frame = ada.page.frameLocator('iframe');
  const panel = frame.getByRole('dialog');
  await panel.getByText('Guest').waitFor();
  const historyLength = await ada.page.evaluate(() => history.length);
  await frame.locator('chat-widget').evaluate((element) => element.setAttribute('data-same', ''));
  const isSame = () => frame.locator('chat-widget[data-same]').waitFor({ state: 'attached' });

  await ada.page.getByLabel('Greeting', { exact: true }).pressSequentially('Ahoy there!', { delay: 40 });
  await panel.getByText('Ahoy there!').waitFor();
  await ada.page.getByLabel('Display name').fill('Renamed bot');
  await frame.getByRole('dialog', { name: 'Renamed bot' }).waitFor();
  await isSame();

  const choose = (group: string, choice: string) =>
    ada.page.getByRole('radiogroup', { name: group }).getByText(choice, { exact: true }).click();
  await choose('Visitor', 'Contact');
  await panel.getByText('Jane Doe').first().waitFor();
  const background = () => panel.evaluate((element) => getComputedStyle(element).backgroundColor);
  const light = await background();
  await choose('Appearance', 'Dark');
  await frame.locator('html[data-scheme=dark]').waitFor({ state: 'attached' });
  assert.notEqual(await background(), light);
  await ada.page.getByLabel('Display name').fill('Renamed again');
  await frame.getByRole('dialog', { name: 'Renamed again' }).waitFor();
  // What was chosen stays.
  await panel.getByText('Jane Doe').first().waitFor();
  assert.notEqual(await background(), light);
  await choose('Visitor', 'Guest');
  await panel.getByText('Guest').waitFor();
  await isSame();
  assert.equal(await ada.page.evaluate(() => history.length), historyLength);
  await ada.press('Discard');
});

test('the token lifetime is chosen from a list, which also has the one that another program set', async () => {
  const made = await world.callAccount(account, 'POST', 'bots', { name: 'Short bot', tokenMaxSeconds: 5400 });
  const path = `bots/${(made.data as { id: string }).id}`;
  await ada.goTo(`/${path}/settings`);
  await ada.sees('Short bot');
  const lifetime = ada.page.getByLabel('Token lifetime');
  assert.equal(await lifetime.inputValue(), '5400');
  await lifetime.selectOption('1 hour');
  await ada.press('Save');
  await ada.seesNotice('Saved.');
  const { data } = await world.callAccount(account, 'GET', path);
  assert.equal((data as { tokenMaxSeconds: number }).tokenMaxSeconds, 3600);
});
