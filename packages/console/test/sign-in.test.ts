// Coming in and going out: set-up, sign-in, a session that ends, a new password.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConsoleWorld, Person, password } from './console-world.ts';
import { assertNoViolations } from './violations.ts';

const world = await ConsoleWorld.start();

suite('the first visit', () => {
  test('the set-up page has no violation, and the first load is small', async (t) => {
    const anonymous = await Person.arrive(t, world, { bypassCSP: true });
    await anonymous.page.goto(world.setUpUrl);
    await anonymous.sees('Set up Roster');
    await assertNoViolations(anonymous, 'set-up', 'light', 'dark');
    const bytes = await anonymous.page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => name.includes('/console/assets/'))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    );
    assert.ok(bytes > 50_000 && bytes < 350_000, `${bytes} bytes`);
  });

  test('the printed link sets up the account, and its code is out of the address afterwards', async (t) => {
    const { page } = await Person.arrive(t, world);
    const ada = await Person.arrive(t, world);
    await page.goto(world.url);
    await page.getByRole('heading', { level: 1, name: 'Set up Roster' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/console', 'the root leads to the console');
    await page.getByLabel('Set-up code').waitFor();

    await ada.page.goto(world.setUpUrl);
    await ada.sees('Set up Roster');
    await ada.fill({
      'Organization *': 'Example Ltd',
      'Your name *': 'Ada',
      'Email *': 'ada@example.com',
      'Password *': 'short',
    });
    await ada.press('Set up');
    const field = ada.page.getByLabel('Password *', { exact: true });
    await ada.page.getByText('Must be at least 12 characters long.').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    await ada.page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'password');
    await field.fill('123456789012');
    await ada.press('Set up');
    await ada.page.getByText('Is too easy to guess; use a longer one').waitFor();
    await field.fill('ExampleLtd2026');
    await ada.press('Set up');
    await ada.page.getByText('Must not be based on your name, email or organization').waitFor();
    await field.fill(password);
    await ada.press('Set up');
    await ada.sees('Home');
    assert.equal(new URL(ada.page.url()).hash, '#/');
    assert.deepEqual(Object.keys(await ada.page.evaluate(() => history.state)), ['position']);
    await ada.page.getByRole('link', { name: 'My bot', exact: true }).first().waitFor();
  });

  test('a code works once', async (t) => {
    const eve = await Person.arrive(t, world);
    await eve.page.goto(world.setUpUrl);
    await eve.fill({
      'Organization *': 'Evil Ltd',
      'Your name *': 'Eve',
      'Email *': 'eve@example.com',
      'Password *': password,
    });
    await eve.press('Set up');
    await eve.page.getByRole('alert').getByText('Incorrect set-up code').waitFor();
  });
});

suite('sign-in', () => {
  const signIn = async (person: Person, secret = password) => {
    await person.fill({ 'Email *': 'ada@example.com', 'Password *': secret });
    await person.press('Sign in');
  };

  test('a session that ended elsewhere shows the sign-in, and then the page that one was on', async (t) => {
    const ada = await Person.arrive(t, world);
    await ada.goTo('/members');
    await signIn(ada);
    await ada.sees('Members');
    await ada.context.clearCookies();
    await ada.page.getByRole('link', { name: 'Secrets' }).click();
    await ada.sees('Sign in');
    await signIn(ada);
    await ada.sees('Secrets');
  });

  test('signing out leaves nothing: neither a session nor what was shown', async (t) => {
    const ada = await Person.arrive(t, world);
    await ada.goTo('/members');
    await signIn(ada);
    await ada.sees('Members');
    await ada.page.getByRole('button', { name: 'Ada Owner' }).click();
    await ada.page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await ada.sees('Sign in');
    const left = (await ada.context.cookies()).map(({ name }) => name);
    assert.deepEqual(left, ['roster-device'], 'which opens nothing');
    await ada.page.goBack().catch(() => {});
    await ada.goTo('/members');
    await ada.sees('Sign in');
    assert.deepEqual(
      await ada.page.evaluate(() => Object.keys(localStorage).filter((key) => !key.includes('color-scheme'))),
      [],
    );
  });

  test('one email with one password in two organizations: the sign-in lists them, and opens the chosen one', async (t) => {
    const email = 'dana@example.com';
    const operator = await world.openOperator(t);
    await operator.createOrganization('Acme');
    for (const { id } of await operator.listOrganizations()) {
      const { link } = await operator.inviteMember(id, { email, role: 'member' });
      await world.enter('invitations/accept', { token: link.replace(/.*\//, ''), name: 'Dana', password }, email);
    }
    const dana = await Person.arrive(t, world);
    await dana.goTo('/account');
    await dana.fill({ 'Email *': email, 'Password *': password });
    await dana.press('Sign in');
    await dana.sees('Choose an organization');
    assert.deepEqual(await dana.page.getByRole('listitem').allInnerTexts(), ['Acme', 'Example Ltd']);
    assert.deepEqual(await dana.context.cookies(), [], 'nobody is signed in yet');
    await dana.press('Acme');
    await dana.sees('Your account');
    await dana.page.getByText('Member of Acme').waitFor();
  });

  test('a new password ends the other sessions and keeps this one; signing out everywhere ends all', async (t) => {
    const [here, there] = [await Person.arrive(t, world), await Person.arrive(t, world)];
    for (const person of [here, there]) {
      await person.goTo('/account');
      await signIn(person);
      await person.sees('Your account');
    }
    await here.fill({ 'Current password *': 'wrong one here', 'New password *': `${password} 2` });
    await here.press('Change password');
    await here.page.getByRole('alert').getByText('Incorrect password').waitFor();
    await here.fill({ 'Current password *': password });
    await here.press('Change password');
    await here.seesNotice('Your password was changed.');
    await there.page.getByRole('link', { name: 'Members' }).click();
    await there.sees('Sign in');
    await signIn(there, `${password} 2`);
    await there.sees('Members');
    await here.press('Sign out everywhere…');
    await here.press('Sign out everywhere');
    await here.sees('Sign in');
    await there.page.getByRole('link', { name: 'Secrets' }).click();
    await there.sees('Sign in');
  });

  test('without a network the console says so, and continues when it is back', async (t) => {
    const ada = await Person.arrive(t, world);
    await ada.goTo('/');
    await signIn(ada, `${password} 2`);
    await ada.sees('Home');
    await ada.context.setOffline(true);
    await ada.seesNotice('You’re offline.');
    await ada.context.setOffline(false);
    await ada.page.getByText('You’re offline.').waitFor({ state: 'detached' });
    await ada.page.getByRole('link', { name: 'Members' }).click();
    await ada.page.getByText('ada@example.com').waitFor();
  });
});
