// Who decides where events are sent: owners, and members where the organization allows it; who made a webhook, and what becomes of it
// when they are removed.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Webhook } from '@roster/contract';
import { callFirstBot } from '../../server/test/process/server-process.ts';
import { ageSessions } from './age-sessions.ts';
import { type Account, ConsoleWorld, Person, password, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
const place = `/bots/${world.botId}/webhooks`;
const path = place.slice(1);
const url = 'https://receiver.invalid/hooks';
const setting = 'Members can manage webhooks';

const make = async (by: Account, description: string): Promise<Webhook> =>
  (await world.callAccount(by, 'POST', path, { url, description })).data as Webhook;
const read = async (id: string) => (await world.callAccount(account, 'GET', `${path}/${id}`)).data as Webhook;
const permit = (membersMayManageWebhooks: boolean) =>
  world.callAccount(account, 'PUT', 'organization/settings', { membersMayManageWebhooks });

async function open(person: Person, { id }: Webhook): Promise<void> {
  await person.goTo(`${place}/${id}`);
  await person.page.getByRole('button', { name: 'Actions' }).waitFor();
}

/** What a page of a webhook offers to decide. */
async function offers({ page }: Person): Promise<string[]> {
  await page.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).waitFor();
  const offered = page.getByRole('menuitem').or(page.getByRole('button', { name: 'Replay…' }));
  const names = await offered.allInnerTexts();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'detached' });
  return names.toSorted();
}

suite('a member', () => {
  test('is not offered what only owners may do, and reads why the URL is fixed', async (t) => {
    await permit(false);
    const webhook = await make(account, 'Of an owner');
    const mel = await Person.arrive(t, world, {
      account: await world.invite(account, 'member', 'Mel', 'mel@example.com'),
    });
    const { page } = mel;
    await mel.goTo(place);
    await page.getByText('Of an owner').waitFor();
    assert.equal(await page.getByRole('button', { name: 'New webhook' }).count(), 0);
    await open(mel, webhook);
    assert.deepEqual(await offers(mel), ['Delete…', 'Turn off…']);
    await mel.press('Edit');
    const field = page.getByLabel('URL *', { exact: true });
    await page.getByText('An owner can change it, or allow members to.').waitFor();
    assert.equal(await field.getAttribute('readonly'), '');
    await mel.fill({ Description: 'Changed by Mel' });
    await mel.press('Save');
    await mel.seesNotice('Saved.');
    assert.equal((await read(webhook.id)).changedBy?.name, 'Mel');

    await permit(true);
    await mel.looksAgain();
    await page.getByRole('button', { name: 'Replay…' }).waitFor();
    assert.deepEqual(await offers(mel), ['Delete…', 'Replay…', 'Rotate secret…', 'Turn off…']);
    await mel.press('Edit');
    await mel.fill({ 'URL *': `${url}/other` });
    await mel.press('Save');
    await mel.seesNotice('Saved.');
    assert.equal((await read(webhook.id)).url, `${url}/other`);
    await mel.goTo(place);
    await page.getByRole('button', { name: 'New webhook' }).waitFor();
  });

  test('who may change the URL is asked for the password, and then it is changed', async (t) => {
    await permit(true);
    const webhook = await make(account, 'With a password');
    const nina = await Person.arrive(t, world, {
      account: await world.invite(account, 'member', 'Nina', 'nina@example.com'),
    });
    await open(nina, webhook);
    ageSessions(world);
    await nina.press('Edit');
    await nina.fill({ 'URL *': `${url}/nina` });
    await nina.press('Save');
    await confirmPassword(nina);
    await nina.seesNotice('Saved.');
    assert.equal((await read(webhook.id)).url, `${url}/nina`);
  });
});

async function confirmPassword({ page }: Person): Promise<void> {
  const prompt = page.getByRole('dialog', { name: 'Confirm your password' });
  await prompt.getByLabel('Password *', { exact: true }).fill(password);
  await prompt.getByRole('button', { name: 'Confirm', exact: true }).click();
  await prompt.waitFor({ state: 'detached' });
}

suite('an owner', () => {
  test('opens webhooks to members and closes them again, with a password entered lately', async (t) => {
    await permit(false);
    const owner = await Person.arrive(t, world, { account: await world.signIn(account) });
    await owner.goTo('/account');
    const allowed = owner.page.getByRole('switch', { name: setting });
    assert.equal(await allowed.isChecked(), false);
    ageSessions(world);
    await allowed.click();
    await confirmPassword(owner);
    await owner.seesNotice('Saved.');
    assert.ok(await allowed.isChecked());
    const settings = async () => (await world.callAccount(account, 'GET', 'organization/settings')).data;
    assert.deepEqual(await settings(), { membersMayManageWebhooks: true });
    ageSessions(world);
    await allowed.click();
    const prompt = owner.page.getByRole('dialog', { name: 'Confirm your password' });
    await prompt.getByRole('button', { name: 'Cancel', exact: true }).click();
    await owner.page.getByRole('alert').getByText('Confirm your password').waitFor();
    assert.ok(await allowed.isChecked(), 'as it was');
    await allowed.click();
    await confirmPassword(owner);
    await owner.seesNotice('Saved.');
    assert.deepEqual(await settings(), { membersMayManageWebhooks: false });
  });

  test('alone is shown the setting', async (t) => {
    const member = await world.invite(account, 'member', 'Olga', 'olga@example.com');
    const olga = await Person.arrive(t, world, { account: member });
    await olga.goTo('/account');
    await olga.page.getByRole('region', { name: 'Password' }).waitFor();
    assert.equal(await olga.page.getByRole('switch').count(), 0);
  });
});

suite('a webhook', () => {
  test('names who created it and who last changed it, members and secrets', async () => {
    const detail = (title: string) =>
      ada.page.locator('dl > div', { has: ada.page.getByText(title, { exact: true }) }).locator('dd');
    const permissions = ['account:write', 'contacts:read'];
    const { data } = await world.callAccount(account, 'POST', 'secrets', { name: 'Web shop', permissions });
    const { secret } = data as { secret: string };
    const bySecret = async (method: string, path: string, body: object): Promise<Webhook> =>
      (await (await callFirstBot(world.url, { ...world.server.firstRun, secret }, method, path, body)).json()).data;
    const webhook = await make(account, 'By hand');
    await open(ada, webhook);
    assert.match(await detail('Created').innerText(), /\d\nAda Owner$/);
    assert.equal(await detail('Last changed by').count(), 0, 'nobody has');
    await bySecret('PATCH', `webhooks/${webhook.id}`, { description: 'By a program' });
    await ada.looksAgain();
    await detail('Last changed by').getByText('The secret “Web shop”', { exact: true }).waitFor();
    await open(ada, await bySecret('POST', 'webhooks', { url }));
    await detail('Created').getByText('The secret “Web shop”').waitFor();
  });

  test('is switched off with the member who made it, where the owner chooses so', async () => {
    const carol = await world.invite(account, 'owner', 'Carol', 'carol@example.com');
    const dave = await world.invite(account, 'owner', 'Dave', 'dave@example.com');
    const [ofCarol, ofDave] = [await make(carol, 'Of Carol'), await make(dave, 'Of Dave')];
    await ada.goTo('/members');
    const choice = ada.page.getByRole('checkbox', {
      name: 'Turn off the webhooks that they created or last changed',
    });
    await ada.choose('Actions for Dave', 'Remove…');
    assert.equal(await choice.isChecked(), false);
    await ada.press('Remove');
    await ada.seesNotice('Dave was removed.');
    assert.ok((await read(ofDave.id)).isEnabled);

    // The list is in the memory of the page, which reads it again.
    await ada.goTo(place);
    const row = ada.page.getByRole('row').filter({ hasText: 'Of Carol' });
    await row.getByText('On', { exact: true }).waitFor();
    await ada.goTo('/members');
    await ada.choose('Actions for Carol', 'Remove…');
    await ada.page.getByText('Of all bots, including those created or changed with secrets of theirs.').waitFor();
    await choice.check();
    await ada.press('Remove');
    await ada.seesNotice('Carol was removed.');
    assert.equal((await read(ofCarol.id)).isEnabled, false);
    await ada.goTo(place);
    await row.getByText('Off', { exact: true }).waitFor();
  });
});
