// Several tabs of one browser share one session: whatever one of them does with it, the others continue with it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ConsoleWorld, Person, password } from './console-world.ts';

const world = await ConsoleWorld.start();
const ada = await world.setUp();
const bob = await world.invite(ada, 'owner', 'Bob', 'bob@example.com');
const list = `/bots/${world.botId}/contacts`;

const signIn = async (person: Person, email: string) => {
  await person.sees('Sign in');
  await person.fill({ 'Email *': email, 'Password *': password });
  await person.press('Sign in');
};
const signOut = (person: Person, name: string) => person.choose(`${name} Owner`, 'Sign out');
const isSignedIn = (person: Person, name: string) =>
  person.page.getByRole('button', { name: `${name} Owner`, exact: true }).waitFor();

suite('a session that changes in another tab', () => {
  test('signing out in one tab signs out all; signing in brings all back to where they were', async (t) => {
    const first = await Person.arrive(t, world, { account: await world.signIn(ada) });
    const second = await first.openTab();
    await first.goTo(list);
    await first.sees('My bot');
    await second.goTo('/members');
    await signOut(second, 'Ada Owner');
    await first.sees('Sign in');
    await signIn(second, ada.email);
    await second.sees('Home');
    await first.sees('My bot');
    await first.page.getByText('No contacts yet').waitFor();
    await signOut(second, 'Ada Owner');
    await first.sees('Sign in');
    await signIn(second, bob.email);
    await first.sees('My bot');
    await isSignedIn(first, 'Bob');
  });

  test('a request in flight when another member signs in is not carried out in their name', async (t) => {
    const first = await Person.arrive(t, world, { account: await world.signIn(ada) });
    const second = await first.openTab();
    await first.goTo(list);
    await first.press('New contact');
    await first.fill({ 'Name *': 'In flight', 'Email *': 'way@example.com' });
    const sent = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let tries = 0;
    await first.page.route(`**/bots/${world.botId}/contacts*`, async (route) => {
      if (route.request().method() === 'PUT') {
        tries += 1;
        sent.resolve();
        await held.promise;
      }
      await route.continue();
    });
    await first.press('Create contact');
    await sent.promise;
    await second.goTo('/');
    await signOut(second, 'Ada Owner');
    await first.sees('Sign in');
    await signIn(second, bob.email);
    await isSignedIn(first, 'Bob');
    const asked = first.page.waitForResponse('**/v1/account/session');
    held.resolve();
    await asked;
    // Whatever follows the answer has been sent before this.
    await first.page.evaluate(() => fetch('/healthz'));
    assert.equal(tries, 1);
    assert.equal((await world.callBot('GET', 'contacts?query=way@')).json.pagination.total, 0);
  });

  test('a new password in one tab keeps what is typed in another, which is then saved', async (t) => {
    const carol = await world.invite(ada, 'member', 'Carol', 'carol@example.com');
    const first = await Person.arrive(t, world, { account: carol });
    const second = await first.openTab();
    await first.goTo(list);
    await first.press('New contact');
    await first.fill({ 'Name *': 'Typed before', 'Email *': 'before@example.com' });
    await second.goTo('/account');
    await second.fill({ 'Current password *': password, 'New password *': `${password} 2` });
    await second.press('Change password');
    await second.seesNotice('Your password was changed.');
    await first.press('Create contact');
    await first.seesNotice('Typed before was created.');
  });
});

suite('a session that changes without notice, found out by a refusal', () => {
  test('a tab continues with the new session of the same member', async (t) => {
    const person = await Person.arrive(t, world, { account: await world.signIn(ada) });
    await person.goTo(list);
    await person.press('New contact');
    await person.fill({ 'Name *': 'Known again', 'Email *': 'again@example.com' });
    await person.takeSession(await world.signIn(ada));
    await person.press('Create contact');
    await person.seesNotice('Known again was created.');
    const { json } = await world.callBot('GET', 'contacts?query=again@');
    assert.equal(json.pagination.total, 1);
    await person.page.getByLabel('Search contacts').fill('again@');
    await person.page.getByText('1 match', { exact: true }).waitFor();
  });

  test('a request in flight with the old session is sent again with the new one', async (t) => {
    const old = await world.signIn(ada);
    const person = await Person.arrive(t, world, { account: old });
    await person.goTo(list);
    await person.press('New contact');
    await person.fill({ 'Name *': 'In between', 'Email *': 'between@example.com' });
    const cookie = old.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    await person.page.route(
      `**/bots/${world.botId}/contacts`,
      async (route) => {
        await person.takeSession(await world.signIn(ada));
        await world.callAccount(old, 'DELETE', 'session');
        const reply = await fetch(route.request().url(), {
          method: 'PUT',
          headers: { ...(await route.request().allHeaders()), cookie },
          body: route.request().postData(),
        });
        assert.equal(reply.status, 401);
        await route.fulfill({ status: 401, contentType: 'application/problem+json', body: await reply.text() });
      },
      { times: 1 },
    );
    await person.press('Create contact');
    await person.seesNotice('In between was created.');
  });

  test('a tab reloads when the session is another member’s, and does nothing in their name', async (t) => {
    const person = await Person.arrive(t, world, { account: await world.signIn(ada) });
    await person.goTo(list);
    await person.press('New contact');
    await person.fill({ 'Name *': 'By whom', 'Email *': 'whom@example.com' });
    await person.page.evaluate(() => Object.assign(globalThis, { isPageOfAda: true }));
    await person.takeSession(await world.signIn(bob));
    await person.press('Create contact');
    await isSignedIn(person, 'Bob');
    assert.equal(await person.page.evaluate(() => 'isPageOfAda' in globalThis), false);
    assert.equal(await person.page.getByRole('dialog').count(), 0);
    const { json } = await world.callBot('GET', 'contacts?query=whom@');
    assert.equal(json.pagination.total, 0);
  });

  test('a tab shows the sign-in when there is no session any more', async (t) => {
    const person = await Person.arrive(t, world, { account: await world.signIn(ada) });
    await person.goTo('/members');
    await person.press('Invite');
    await person.fill({ 'Email *': 'dave@example.com' });
    const next = await world.signIn(ada);
    await person.takeSession(next);
    // Ended after the refusal, and before the page asks what session there is.
    await person.page.route('**/v1/account/session', async (route) => {
      await world.callAccount(next, 'DELETE', 'session');
      await route.continue();
    });
    await person.press('Create link');
    await person.sees('Sign in');
  });

  test('a tab shows what the member may not do, and requests it once', async (t) => {
    const person = await Person.arrive(t, world, { account: await world.signIn(bob) });
    await person.goTo('/members');
    await person.press('Invite');
    await person.fill({ 'Email *': 'dave@example.com' });
    const { data } = await world.callAccount(ada, 'GET', 'members');
    const { id } = (data as { id: string; name: string }[]).find(({ name }) => name === 'Bob') ?? {};
    await world.callAccount(ada, 'PATCH', `members/${id}`, { role: 'member' });
    let tries = 0;
    await person.page.route('**/v1/account/invitations', (route) => {
      if (route.request().method() === 'POST') tries += 1;
      return route.continue();
    });
    await person.press('Create link');
    await person.page.getByRole('alert').getByText('You don’t have permission to do this').waitFor();
    assert.equal(tries, 1);
    await person.press('Cancel');
    assert.equal(await person.page.getByRole('button', { name: 'Invite' }).count(), 0, 'a member cannot invite');
  });
});
