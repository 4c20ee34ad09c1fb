// What members do most, from the sign-in on: contacts are found, created, edited and deleted, and every page opens. The part of the
// browser tests of the console that `npm test` has.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { ConsoleWorld, Person, password, wholeFile } from './console-world.ts';
import { prepareEveryPage } from './every-page.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
afterEach(() => ada.hadNoTrouble());

test('a wrong password says so, and the right one leads to where one wanted to go', async (t) => {
  const person = await Person.arrive(t, world);
  const signIn = async (secret: string) => {
    await person.fill({ 'Email *': account.email, 'Password *': secret });
    await person.press('Sign in');
  };
  await person.goTo('/secrets');
  await person.sees('Sign in');
  await person.press('Sign in');
  await person.page.getByText('Enter your email.').waitFor();
  await person.page.getByText('Enter your password.').waitFor();
  assert.equal(await person.page.getByRole('alert').count(), 0);
  await signIn('not the password');
  const alert = person.page.getByRole('alert');
  await alert.getByText('Incorrect email or password').waitFor();
  assert.doesNotMatch(await alert.innerText(), /req-/, 'a request id is for failures of the server');
  await signIn(password);
  await person.sees('Secrets');
});

test('an empty bot says how contacts come; one is created, found, edited and deleted', async () => {
  await ada.goTo(`/bots/${world.botId}/contacts`);
  await ada.page.getByText('No contacts yet').waitFor();
  await ada.press('New contact');
  await ada.fill({
    'Name *': 'José Núñez',
    'Email *': 'jose@example.com',
    Phone: '+1 (555) 010-0',
    WhatsApp: 'nonsense',
  });
  await ada.press('Create contact');
  await ada.page.getByText('Must be in international format, like +15550100123.').waitFor();
  await ada.fill({ WhatsApp: '+1 555 010 0123' });
  await ada.press('Create contact');
  await ada.seesNotice('José Núñez was created.');

  await ada.page.getByLabel('Search contacts').fill('jose 5550100');
  await ada.page.getByText('1 match', { exact: true }).waitFor();
  await ada.page.getByRole('link', { name: 'José Núñez' }).click();
  await ada.sees('José Núñez');
  await ada.page.getByText('+15550100123').waitFor();
  await ada.press('Edit Name');
  await ada.fill({ Name: 'José Núñez Ruiz' });
  await ada.page.keyboard.press('Enter');
  await ada.sees('José Núñez Ruiz');
  await ada.press('Edit Phone');
  await ada.fill({ Phone: '' });
  await ada.page.keyboard.press('Enter');
  await ada.page.getByRole('listitem').filter({ hasText: 'Phone changed' }).waitFor();
  const { json } = await world.callBot('GET', 'contacts?query=jose');
  assert.equal(json.data[0].phone, '');

  await ada.press('Delete…');
  await ada.press('Delete contact');
  await ada.seesNotice('José Núñez Ruiz was deleted.');
  await ada.sees('My bot');
  assert.equal((await world.callBot('GET', 'contacts')).json.pagination.total, 0);
});

test('every page opens, without an error and under the content security policy', async () => {
  const { places } = await prepareEveryPage(world, account);
  for (const [place, title] of places) {
    await ada.goTo(place);
    await ada.sees(title);
    await ada.hasLoaded();
    const alerts = await ada.page.getByRole('main').getByRole('alert').allInnerTexts();
    // The webhook's receiver does not exist.
    const failures = alerts.filter((text) => !text.includes('Every delivery has failed'));
    assert.deepEqual(failures, [], place);
    ada.hadNoTrouble();
  }
});
