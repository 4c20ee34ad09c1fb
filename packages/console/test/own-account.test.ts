// The member's own account in the browser: sessions, the password asked for again, name and email, leaving.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ageSessions } from './age-sessions.ts';
import { ConsoleWorld, Person, password, userAgents } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();

suite('sessions', () => {
  test('are listed with their browser, and one or all others can be ended', async (t) => {
    const ada = await Person.arrive(t, world, { account: await world.signIn(account) });
    const [one, two] = [await world.signIn(account, userAgents.firefox), await world.signIn(account)];
    await ada.goTo('/account');
    const sessions = ada.page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await sessions.filter({ hasText: 'This device' }).getByText('127.0.0.1').waitFor();
    const before = await sessions.count();
    assert.ok(before >= 4, `${before}`);
    await sessions.getByRole('button', { name: 'End the session of Firefox on Windows' }).click();
    await ada.seesNotice('The session has ended.');
    await ada.page.waitForFunction(
      (count) => document.querySelectorAll('ul[aria-label=Sessions] > li').length === count,
      before - 1,
    );
    await ada.press('Sign out other sessions');
    await ada.seesNotice('All your other sessions have ended.');
    await ada.page.waitForFunction(() => document.querySelectorAll('ul[aria-label=Sessions] > li').length === 1);
    for (const ended of [one, two]) await assert.rejects(world.callAccount(ended, 'GET', 'session'), /401/);
  });

  test('that the operator ends are told in the audit log from those that members end', async (t) => {
    const zoe = await world.invite(await world.signIn(account), 'member', 'Zoe', 'zoe@example.com');
    const operator = await world.openOperator(t);
    const member = (await operator.listMembers()).find(({ email }) => email === zoe.email);
    assert.ok(member);
    const [session] = await operator.listSessions(member);
    await operator.endSession(member, session?.id as string);
    await operator.endSessions(member);
    await world.callAccount(await world.signIn(zoe), 'DELETE', 'sessions');
    const ada = await Person.arrive(t, world, { account: await world.signIn(account) });
    await ada.goTo('/audit');
    for (const words of [
      /The operator\s*ended a session of “Zoe”/,
      /The operator\s*ended all sessions of “Zoe”/,
      /Zoe\s*signed out everywhere/,
    ]) {
      await ada.page.getByRole('row').filter({ hasText: words }).waitFor();
    }
  });
});

suite('a sensitive action', () => {
  test('asks for the password, says when it is wrong, and then goes on by itself', async (t) => {
    const ada = await Person.arrive(t, world, { account: await world.signIn(account) });
    await ada.goTo('/secrets');
    await ada.sees('Secrets');
    ageSessions(world);
    await ada.press('New secret');
    await ada.fill({ 'Name *': 'Asked for' });
    await ada.press('Create secret');
    const prompt = ada.page.getByRole('dialog', { name: 'Confirm your password' });
    await prompt.waitFor();
    await prompt.getByLabel('Password *', { exact: true }).fill('not the password');
    await prompt.getByRole('button', { name: 'Confirm', exact: true }).click();
    await prompt.getByRole('alert').waitFor();
    await prompt.getByLabel('Password *', { exact: true }).fill(password);
    await prompt.getByRole('button', { name: 'Confirm', exact: true }).click();
    await prompt.waitFor({ state: 'detached' });
    await ada.page.getByText(/^rst_/).first().waitFor();
  });

  test('is not done when the dialog is cancelled', async (t) => {
    const ada = await Person.arrive(t, world, { account: await world.signIn(account) });
    await ada.goTo('/secrets');
    await ada.sees('Secrets');
    ageSessions(world);
    await ada.press('New secret');
    await ada.fill({ 'Name *': 'Never made' });
    await ada.press('Create secret');
    const prompt = ada.page.getByRole('dialog', { name: 'Confirm your password' });
    await prompt.getByRole('button', { name: 'Cancel', exact: true }).click();
    await ada.page.getByText('Confirm your password').waitFor();
    const { data } = await world.callAccount(await world.signIn(account), 'GET', 'secrets');
    assert.ok(!(data as { name: string }[]).some(({ name }) => name === 'Never made'));
  });
});

suite('a member', () => {
  test('changes their name and email with the password', async (t) => {
    const grace = await world.invite(await world.signIn(account), 'member', 'Grace', 'grace@example.com');
    const person = await Person.arrive(t, world, { account: grace });
    await person.goTo('/account');
    await person.fill({ 'Your name *': 'Grace Hopper', 'Your email *': 'hopper@example.com' });
    await person.fill({ 'Your password *': password });
    await person.press('Save');
    await person.seesNotice('Saved.');
    await person.page.getByRole('button', { name: /Grace Hopper/ }).waitFor();
    await world.signIn({ ...grace, email: 'hopper@example.com' });
  });

  test('leaves the organization, but the last owner cannot', async (t) => {
    const owner = await Person.arrive(t, world, { account: await world.signIn(account) });
    await owner.goTo('/account');
    await owner.press('Leave…');
    await owner.press('Leave');
    await owner.page.getByRole('alert').getByText('An organization needs an owner').waitFor();
    const joan = await world.invite(await world.signIn(account), 'member', 'Joan', 'joan@example.com');
    const person = await Person.arrive(t, world, { account: joan });
    await person.goTo('/account');
    await person.press('Leave…');
    await person.press('Leave');
    await person.sees('Sign in');
    await assert.rejects(world.signIn(joan), /401/);
  });

  test('confirms the password before an export of selected contacts', async (t) => {
    await world.callBot('PUT', 'contacts', { name: 'Jane', email: 'jane@example.com' });
    const ada = await Person.arrive(t, world, { account: await world.signIn(account) });
    await ada.goTo(`/bots/${world.botId}/contacts`);
    await ada.page.getByLabel('Select Jane').check();
    ageSessions(world);
    await ada.press('Export…');
    await ada.press('Export');
    const prompt = ada.page.getByRole('dialog', { name: 'Confirm your password' });
    await prompt.getByLabel('Password *', { exact: true }).fill(password);
    const confirm = prompt.getByRole('button', { name: 'Confirm', exact: true });
    const [download] = await Promise.all([ada.page.waitForEvent('download'), confirm.click()]);
    assert.match(download.suggestedFilename(), /^contacts-.*\.csv$/);
  });
});
