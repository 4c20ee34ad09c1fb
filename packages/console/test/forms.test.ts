// Forms: an error stands at its field, what was typed is not lost without a question, and a confirmation does not outlive
// what it confirms.
import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { ConsoleWorld, Person, password, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
afterEach(() => ada.hadNoTrouble());
const settings = `/bots/${world.botId}/settings`;
const list = `/bots/${world.botId}/contacts`;

const isGone = (text: string) => ada.page.getByText(text).waitFor({ state: 'detached' });
const discard = () => ada.press('Discard changes');

suite('an error', () => {
  test('of an entry of a list stands at its field, with the focus and without a request id', async () => {
    await ada.goTo(settings);
    const field = ada.page.getByLabel('Allowed origins');
    await field.fill('https://www.example.com\nshop.example.com');
    await ada.press('Save');
    await ada.page.getByText('Entry 2: Must be an origin without a path, like https://shop.example.com.').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await ada.page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'allowedOrigins');
    const alert = await ada.page.getByRole('alert').innerText();
    assert.match(alert, /Fix the highlighted fields/);
    assert.doesNotMatch(alert, /req-|allowedOrigins/);
    await ada.press('Discard');
  });

  test('of the server has the request id', async () => {
    await ada.goTo(settings);
    await ada.page.route('**/v1/account/bots/*', (route) => {
      if (route.request().method() !== 'PATCH') return route.continue();
      const body = { status: 500, code: 'internal', title: 'Internal Server Error', detail: '', requestId: 'req-42' };
      return route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(body) });
    });
    await ada.page.getByLabel('Display name').fill('Broken');
    await ada.press('Save');
    await ada.page.getByRole('alert').getByText('req-42').waitFor();
    await ada.page.unroute('**/v1/account/bots/*');
    await ada.press('Discard');
  });

  test('takes the place of the confirmation of what was saved before', async (t) => {
    const person = await Person.arrive(t, world, { account });
    // Notices disappear by themselves after five seconds, which here never pass.
    await person.context.addInitScript(() => {
      const { setTimeout: start } = window;
      const startOthers = (run: () => void, ms?: number) => (ms === 5000 ? 0 : start(run, ms));
      Object.assign(window, { setTimeout: startOthers });
    });
    await person.goTo(settings);
    await person.page.getByLabel('Greeting').fill('Hello');
    await person.press('Save');
    const notice = person.page.getByText(/^Saved\./);
    await notice.waitFor();
    await person.page.getByLabel('Allowed origins').fill('nonsense');
    await person.press('Save');
    await person.page.getByRole('alert').waitFor();
    assert.equal(await notice.count(), 0);
    await person.press('Discard');
  });
});

test('two clicks on a button create one thing', async () => {
  await ada.goTo('/bots');
  await ada.press('New bot');
  await ada.fill({ 'Name *': 'Only one' });
  await ada.page.getByRole('form', { name: 'New bot' }).evaluate((form) => {
    (form as HTMLFormElement).requestSubmit();
    (form as HTMLFormElement).requestSubmit();
  });
  await ada.sees('Only one');
  const { data } = await world.callAccount(account, 'GET', 'bots');
  assert.equal((data as { name: string }[]).filter(({ name }) => name === 'Only one').length, 1);
});

suite('unsaved edits', () => {
  test('a link out of a form asks first; the edit stays, or is discarded', async () => {
    await ada.goTo(settings);
    const name = ada.page.getByLabel('Display name');
    await name.fill('Half a name');
    const address = ada.page.url();
    await ada.page.getByRole('link', { name: 'Members' }).click();
    await ada.page.getByText('Discard unsaved changes?').waitFor();
    await ada.press('Keep editing');
    await isGone('Discard unsaved changes?');
    assert.equal(await name.inputValue(), 'Half a name');
    await ada.page.waitForFunction((wanted) => location.href === wanted, address);
    await ada.page.getByRole('link', { name: 'Members' }).click();
    await discard();
    await ada.sees('Members');
    await ada.page.goBack();
    await ada.sees('My bot');
    assert.equal(await name.inputValue(), 'My bot');
  });

  test('so does the way back of the browser', async () => {
    await ada.goTo('/secrets');
    await ada.sees('Secrets');
    await ada.page.getByRole('link', { name: 'My bot', exact: true }).first().click();
    await ada.page.getByRole('link', { name: 'Widget', exact: true }).click();
    const name = ada.page.getByLabel('Display name');
    await name.fill('Half a name');
    const address = ada.page.url();
    await ada.page.evaluate(() => history.back());
    await ada.page.getByText('Discard unsaved changes?').waitFor();
    await ada.press('Keep editing');
    await ada.page.waitForFunction((wanted) => location.href === wanted, address);
    assert.equal(await name.inputValue(), 'Half a name');
    await ada.page.evaluate(() => history.back());
    await discard();
    await ada.page.getByText('Contacts that the widget greets by name.').waitFor();
  });

  test('a reload asks first', async (t) => {
    const person = await Person.arrive(t, world, { account });
    await person.goTo(settings);
    await person.page.getByLabel('Display name').fill('Half a name');
    const asked = person.page.waitForEvent('dialog');
    await person.page.evaluate(() => setTimeout(() => location.reload()));
    assert.equal((await asked).type(), 'beforeunload');
    // Dismissed by then: the page stays.
    assert.equal(await person.page.getByLabel('Display name').inputValue(), 'Half a name');
    assert.deepEqual(person.troubles.splice(0), ['dialog: ']);
    await person.press('Discard');
  });

  test('Esc in a dialog asks first; Cancel does not, and an untouched dialog closes at once', async () => {
    await ada.goTo(list);
    await ada.press('New contact');
    await ada.fill({ 'Name *': 'Half a contact' });
    await ada.page.keyboard.press('Escape');
    await ada.page.getByText('Discard unsaved changes?').waitFor();
    await ada.press('Keep editing');
    await isGone('Discard unsaved changes?');
    assert.equal(await ada.page.getByLabel('Name *', { exact: true }).inputValue(), 'Half a contact');
    await ada.page.keyboard.press('Escape');
    await discard();
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    await ada.press('New contact');
    await ada.fill({ 'Name *': 'Half a contact' });
    await ada.press('Cancel');
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    await ada.press('New contact');
    await ada.page.getByRole('dialog').locator(':focus').waitFor();
    await ada.page.keyboard.press('Escape');
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('what is saved is no longer asked about', async () => {
    await ada.goTo(settings);
    await ada.page.getByLabel('Greeting').fill('Welcome');
    await ada.press('Save');
    await ada.seesNotice('Saved.');
    await ada.page.getByRole('link', { name: 'Members' }).click();
    await ada.sees('Members');
  });
});

suite('a session that ends', () => {
  const signInAgain = async (person: Person, email = account.email) => {
    await person.sees('Sign in');
    await person.fill({ 'Email *': email, 'Password *': password });
    await person.press('Sign in');
  };

  test('keeps what was typed, in a page and in a dialog, until the same member is back', async (t) => {
    const person = await Person.arrive(t, world, { account: await world.signIn(account) });
    await person.goTo(settings);
    await person.page.getByLabel('Greeting').fill('Typed before');
    await person.context.clearCookies();
    await person.press('Save');
    await signInAgain(person);
    await person.sees('My bot');
    assert.equal(await person.page.getByLabel('Greeting').inputValue(), 'Typed before');
    await person.press('Save');
    await person.seesNotice('Saved.');

    await person.goTo(list);
    await person.press('New contact');
    await person.fill({ 'Name *': 'Typed before', 'Email *': 'typed@example.com' });
    await person.context.clearCookies();
    await person.press('Create contact');
    await signInAgain(person);
    await person.press('Create contact');
    await person.seesNotice('Typed before was created.');
    await person.page.getByRole('dialog').waitFor({ state: 'detached' });
    await person.press('New contact');
    assert.equal(await person.page.getByLabel('Name *', { exact: true }).inputValue(), '', 'a new one is empty');
  });

  test('shows nothing of it to another member, nor after a sign-out', async (t) => {
    const bob = await world.invite(account, 'owner', 'Bob', 'bob@example.com');
    const person = await Person.arrive(t, world, { account: await world.signIn(account) });
    await person.goTo(list);
    await person.press('New contact');
    await person.fill({ 'Name *': 'Not for Bob' });
    await person.context.clearCookies();
    await person.fill({ 'Email *': 'not@example.com' });
    await person.press('Create contact');
    await signInAgain(person, bob.email);
    await person.press('New contact');
    assert.equal(await person.page.getByLabel('Name *', { exact: true }).inputValue(), '');
    await person.press('Cancel');
    await person.goTo(settings);
    await person.page.getByLabel('Greeting').fill('By Bob');
    await person.choose('Bob Owner', 'Sign out');
    await signInAgain(person, bob.email);
    await person.goTo(settings);
    await person.sees('My bot');
    assert.notEqual(await person.page.getByLabel('Greeting').inputValue(), 'By Bob');
  });
});

suite('the content security policy', () => {
  test('is kept when the colour scheme is switched', async () => {
    await ada.goTo('/members');
    await ada.press('Ada Owner Owner');
    for (const [name, scheme] of [
      ['Dark', 'dark'],
      ['Light', 'light'],
    ] as const) {
      await ada.page.getByRole('menuitemradio', { name }).click();
      await ada.page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor();
    }
    ada.hadNoTrouble();
  });
});
