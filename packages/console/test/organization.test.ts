// What an organization has: bots with their widgets, secrets, members, and the log of who did what.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test } from 'node:test';
import { unlessBusy } from '../../server/test/process/unless-busy.ts';
import { ConsoleWorld, Person, password, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });

const callWith = async (secret: string, method = 'GET', botId = world.botId) => {
  const headers = { authorization: `Bearer ${secret}` };
  return (await unlessBusy(() => fetch(`${world.url}/v1/bots/${botId}/contacts`, { method, headers }))).status;
};

suite('secrets', () => {
  test('a new one is shown once and works; revoked, it is refused', async () => {
    await ada.goTo('/secrets');
    await ada.press('New secret');
    await ada.fill({ 'Name *': 'Web shop' });
    assert.equal(await ada.page.getByLabel('Expires').inputValue(), '90', 'an expiry is suggested');
    await ada.press('Create secret');
    const secret = await ada.page.getByLabel('The secret', { exact: true }).innerText();
    assert.equal(await callWith(secret), 200);
    await ada.page.locator('button:focus', { hasText: 'Copy' }).waitFor();
    await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    // It says so for two seconds, in which a busy machine may not have come to look: every change of the page is watched.
    await ada.page.evaluate(() => {
      const copied = new Promise<void>((resolve) => {
        const look = () => document.querySelector('button[aria-label="Copied: The secret"]') && resolve();
        new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
      });
      Object.assign(globalThis, { copied });
    });
    await ada.press('Copy: The secret');
    await ada.page.evaluate(() => (globalThis as unknown as { copied: Promise<void> }).copied);
    assert.equal(await ada.page.evaluate(() => navigator.clipboard.readText()), secret);
    await ada.press('I’ve saved it');
    const row = ada.page.getByRole('row').filter({ hasText: 'Web shop' });
    assert.match(await row.innerText(), /Active until/);
    await ada.page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.ok(!(await ada.page.content()).includes(secret), 'it is nowhere any more');

    await ada.choose('Actions for Web shop', 'Rename…');
    await ada.fill({ 'Name *': 'Book shop' });
    await ada.press('Rename');
    await ada.choose('Actions for Book shop', 'Revoke…');
    await ada.press('Revoke');
    await ada.seesNotice('Book shop was revoked.');
    assert.equal(await callWith(secret), 401);
    await ada.page.getByRole('row').filter({ hasText: 'Book shop' }).getByText('Revoked').waitFor();
  });

  test('one is created for chosen bots with chosen permissions, and the list shows them', async () => {
    const { data: other } = await world.callAccount(account, 'POST', 'bots', { name: 'Help desk' });
    const otherId = (other as { id: string }).id;
    await ada.goTo('/secrets');
    await ada.press('New secret');
    await ada.fill({ 'Name *': 'Nightly report' });
    const permission = (name: string) => ada.page.getByRole('checkbox', { name, exact: true });
    for (const name of ['contacts:read', 'contacts:write', 'tokens:write']) {
      assert.ok(await permission(name).isChecked(), name);
      await permission(name).uncheck();
    }
    await ada.page.getByLabel('Bots').selectOption('Only the bots I choose');
    await ada.press('Create secret');
    await ada.page.getByText('Choose at least one permission.').waitFor();
    await ada.page.getByText('Choose at least one bot.').waitFor();
    await permission('contacts:read').check();
    await ada.page.getByRole('checkbox', { name: 'Help desk' }).check();
    await ada.page.getByLabel('Expires').selectOption('Never');
    await ada.press('Create secret');
    const secret = await ada.page.getByLabel('The secret', { exact: true }).innerText();
    await ada.press('I’ve saved it');
    const row = ada.page.getByRole('row').filter({ hasText: 'Nightly report' });
    await row.getByText('Only Help desk').waitFor();
    assert.match(await row.innerText(), /contacts:read/);
    assert.doesNotMatch(await row.innerText(), /contacts:write|until/);
    assert.equal(await callWith(secret), 404, 'the first bot is not among them');
    assert.equal(await callWith(secret, 'GET', otherId), 200);
    assert.equal(await callWith(secret, 'PUT', otherId), 403);
    await world.callAccount(account, 'DELETE', `bots/${otherId}`);
    await ada.looksAgain();
    await row.getByText('Only a deleted bot').waitFor();
  });
});

suite('bots', () => {
  test('a new bot has a snippet and a widget that follows the form, and is deleted when its name is typed', async () => {
    await ada.goTo('/bots');
    await ada.press('New bot');
    await ada.fill({ 'Name *': 'Help desk' });
    await ada.press('Create bot');
    await ada.sees('Help desk');
    const botId = new URL(ada.page.url()).hash.split('/')[2] as string;
    const snippet = await ada.page.getByLabel('Snippet for your pages', { exact: true }).innerText();
    assert.match(snippet, new RegExp(`^<script async src="http[^"]+/widget\\.js\\?bot=${botId}"></script>$`));

    const widget = ada.page.frameLocator('iframe').getByRole('dialog');
    await widget.getByText('Hello!').waitFor();
    await ada.fill({ Greeting: 'Ahoy <b>there</b>!', Color: '#aa3366', 'Display name *': 'Harbour' });
    const name = ada.page.getByLabel('Display name *', { exact: true });
    await widget.getByText('Ahoy <b>there</b>!').waitFor();
    await widget.getByText('Harbour').first().waitFor();
    assert.ok(await name.evaluate((field) => field === document.activeElement), 'the form keeps the focus');
    await ada.page.getByLabel('Allowed origins').fill('https://shop.example.com/path');
    await ada.press('Save');
    await ada.page.getByRole('alert').getByText('Fix the highlighted fields').waitFor();
    await ada.page.getByLabel('Allowed origins').fill('https://shop.example.com\nhttps://www.example.com/');
    await ada.page.getByText('Left', { exact: true }).click();
    await ada.press('Save');
    await ada.seesNotice('Saved.');
    await ada.sees('Harbour');
    const { data } = (await (await fetch(`${world.url}/v1/bots/${botId}/widget`)).json()) as { data: object };
    const { widgetUrl: _, channels: none, greetings: noOther, ...shown } = data as Record<string, unknown>;
    assert.deepEqual(shown, { name: 'Harbour', greeting: 'Ahoy <b>there</b>!', color: '#aa3366', position: 'left' });
    assert.deepEqual([none, noOther], [[], {}]);

    await ada.press('Delete bot…');
    const remove = ada.page.getByRole('button', { name: 'Delete bot', exact: true });
    assert.ok(await remove.isDisabled());
    await ada.page.getByLabel('Type Harbour to confirm').fill('Harbour');
    await remove.click();
    await ada.seesNotice('Harbour was deleted.');
    await ada.sees('Bots');
    await ada.page.getByRole('link', { name: 'Harbour' }).first().waitFor({ state: 'detached' });
  });

  test('a bot whose contacts cannot be counted now is listed all the same', async (t) => {
    const person = await Person.arrive(t, world, { account });
    const { data } = await world.callAccount(account, 'GET', 'bots');
    const uncounted = (data as object[]).map((bot) => ({ ...bot, contactCount: null }));
    await person.page.route('**/v1/account/bots', (route) => route.fulfill({ json: { data: uncounted } }));
    await person.goTo('/bots');
    await person.page.getByText('Contacts unavailable', { exact: true }).first().waitFor();
  });

  test('saving keeps what another member changed meanwhile; a form without changes shows it', async () => {
    const { data } = await world.callAccount(account, 'POST', 'bots', { name: 'Shared bot' });
    const path = `bots/${(data as { id: string }).id}`;
    const field = (label: string) => ada.page.getByLabel(label, { exact: true });
    await ada.goTo(`/${path}/settings`);
    await ada.fill({ Greeting: 'Hello from Ada' });
    await world.callAccount(account, 'PATCH', path, { name: 'Renamed elsewhere', color: '#aa3366' });
    await ada.looksAgain();
    await ada.sees('Renamed elsewhere');
    await ada.press('Save');
    await ada.seesNotice('Saved.');
    const { name, greeting, color } = (await world.callAccount(account, 'GET', path)).data as Record<string, string>;
    assert.deepEqual([name, greeting, color], ['Renamed elsewhere', 'Hello from Ada', '#aa3366']);
    assert.equal(await field('Display name *').inputValue(), 'Renamed elsewhere');
    assert.ok(await ada.page.getByRole('button', { name: 'Save' }).isDisabled());
    assert.equal(await ada.page.getByRole('button', { name: 'Discard' }).count(), 0);

    await world.callAccount(account, 'PATCH', path, { name: 'Renamed again' });
    await ada.looksAgain();
    await ada.page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('input[name=name]')?.value === 'Renamed again',
    );
    assert.ok(await ada.page.getByRole('button', { name: 'Save' }).isDisabled());
  });
});

suite('members', () => {
  test('removing one offers to revoke the secrets that they created', async () => {
    const carol = await world.invite(account, 'owner', 'Carol', 'carol@example.com');
    const { data } = await world.callAccount(carol, 'POST', 'secrets', { name: 'Carol’s import' });
    const { secret } = data as { secret: string };
    await ada.goTo('/members');
    await ada.choose('Actions for Carol', 'Remove…');
    await ada.page.getByText('Carol’s import. Servers that use them are rejected at once.').waitFor();
    const revoke = ada.page.getByRole('checkbox', { name: 'Revoke 1 secret that they created' });
    assert.equal(await revoke.isChecked(), false);
    await revoke.check();
    await ada.press('Remove');
    await ada.seesNotice('Carol was removed.');
    assert.equal(await callWith(secret), 401);
    await ada.goTo('/audit');
    await ada.page.getByText('removed “Carol” and revoked the secrets that they created').waitFor();
  });

  test('a colleague joins by the link, sees what a member may do and nothing else, and is removed', async (t) => {
    await ada.goTo('/members');
    await ada.press('Invite');
    await ada.fill({ 'Email *': 'bob@example.com' });
    await ada.press('Create link');
    const link = (await ada.page.getByLabel('Invitation link', { exact: true }).innerText()).replace(
      /^http:\/\/[^/]+/,
      world.url,
    );
    await ada.press('Done');
    await ada.page.getByRole('button', { name: 'Revoke the invitation of bob@example.com' }).waitFor();

    const bob = await Person.arrive(t, world);
    await bob.page.goto(link);
    await bob.sees('Join Example Ltd');
    await bob.fill({ 'Your name *': 'Bob', 'Password *': password });
    await bob.press('Join');
    await bob.sees('Home');
    await bob.goTo('/bots');
    await bob.page.getByRole('link', { name: 'Contacts of My bot' }).waitFor();
    assert.equal(await bob.page.getByRole('link', { name: 'Audit log' }).count(), 0);
    for (const [place, title, button] of [
      ['/secrets', 'Secrets', 'New secret'],
      ['/members', 'Members', 'Invite'],
      [`/bots/${world.botId}/settings`, 'My bot', 'Delete bot…'],
    ] as const) {
      await bob.goTo(place);
      await bob.sees(title);
      assert.equal(await bob.page.getByRole('button', { name: button }).count(), 0, place);
      assert.equal(await bob.page.getByRole('button', { name: /^Actions for/ }).count(), 0, place);
    }
    const again = await Person.arrive(t, world);
    await again.page.goto(link);
    await again.sees('This link doesn’t work');

    await ada.page.reload();
    await ada.choose('Actions for Bob', 'Make owner…');
    await ada.press('Make owner');
    await ada.seesNotice('Bob is an owner now.');
    await ada.choose('Actions for Bob', 'Remove…');
    await ada.press('Remove');
    await ada.seesNotice('Bob was removed.');
    await bob.page.getByRole('link', { name: 'Secrets' }).click();
    await bob.sees('Sign in');
  });

  test('a viewer sees bots and contacts, and is offered nothing that changes or exports them', async (t) => {
    await world.callBot('PUT', 'attributes/plan', { type: 'text', label: 'Plan' });
    const jim = { name: 'Jim', email: 'jim@example.com', attributes: { plan: 'pro' }, tags: ['vip'] };
    const { json } = await world.callBot('PUT', 'contacts', jim);
    await world.callBot('POST', 'auth/contact', { id: json.data.id });
    await ada.goTo('/members');
    const vic = await ada.welcomeViewer(t, 'Vic', 'vic@example.com');
    const bot = `/bots/${world.botId}`;
    const offers = /New|Import|Remove tag|Export|Delete|Edit|Save|Revoke|Invite|Actions for|Add(?! filter)|Rename/;
    for (const [place, title, shown] of [
      ['/', 'Home', 'Secrets to check'],
      ['/bots', 'Bots', 'My bot'],
      [`${bot}/settings`, 'My bot', 'As a viewer, you can’t make changes.'],
      [`${bot}/contacts`, 'My bot', 'jim@example.com'],
      [`${bot}/contacts/${json.data.id}`, 'Jim', 'Last seen'],
      [`${bot}/attributes`, 'Attributes and tags', 'vip'],
      [`${bot}/import`, 'Import contacts', 'As a viewer, you can’t make changes.'],
      ['/secrets', 'Secrets', 'First secret'],
      ['/members', 'Members', 'vic@example.com'],
      ['/account', 'Your account', 'Viewer of Example Ltd'],
    ] as const) {
      await vic.goTo(place);
      await vic.sees(title);
      await vic.page.getByText(shown).first().waitFor();
      await vic.hasLoaded();
      // Their own name and email are theirs to change.
      const allowed = place === '/account' ? ['Save'] : [];
      assert.deepEqual(await vic.page.getByRole('button', { name: offers }).allInnerTexts(), allowed, place);
      assert.equal(await vic.page.getByRole('checkbox').count(), 0, place);
      assert.equal(await vic.page.locator('input[type=file]').count(), 0, place);
    }
    await vic.goTo('/audit');
    await vic.page.getByRole('alert').getByText('You don’t have permission to do this').waitFor();
    assert.equal(await vic.page.getByRole('button', { name: 'Try again' }).count(), 0, 'it would be in vain');
    await vic.goTo(`${bot}/settings`);
    await vic.sees('My bot');
    assert.ok(await vic.page.getByLabel('Display name *', { exact: true }).isDisabled());

    await ada.page.reload();
    await ada.choose('Actions for Vic', 'Make member…');
    await ada.press('Make member');
    await ada.seesNotice('Vic is a member now.');
    await vic.page.reload();
    await vic.page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await ada.choose('Actions for Vic', 'Make viewer…');
    await ada.press('Make viewer');
    await ada.seesNotice('Vic is a viewer now.');
    // The page still offers it, and the server refuses.
    await vic.fill({ 'Display name *': 'Changed' });
    await vic.press('Save');
    await vic.page.getByRole('alert').getByText('You don’t have permission to do this').waitFor();
  });

  test('an invitation is withdrawn, and the last owner cannot leave', async (t) => {
    const { data } = await world.callAccount(account, 'POST', 'invitations', {
      email: 'eve@example.com',
      role: 'owner',
    });
    const { hash } = new URL((data as { link: string }).link);
    await ada.page.reload();
    await ada.goTo('/members');
    await ada.press('Revoke the invitation of eve@example.com');
    await ada.press('Revoke');
    await ada.seesNotice('The invitation was revoked.');
    const eve = await Person.arrive(t, world);
    await eve.goTo(hash.slice(1));
    await eve.sees('This link doesn’t work');

    await ada.choose('Actions for Ada Owner', 'Make member…');
    await ada.press('Make member');
    await ada.page.getByRole('alert').getByText('An organization needs an owner').waitFor();
    await ada.press('Cancel');
  });
});

suite('the audit log', () => {
  test('shows in words what was done, by whom, when and from where', async () => {
    await world.callAccount(account, 'PATCH', `bots/${world.botId}/contacts`, {
      data: [{ name: 'Jane', email: 'jane@example.com' }],
    });
    await ada.goTo('/audit');
    const entry = ada.page.getByRole('row').filter({ hasText: 'imported or changed' });
    await entry.waitFor();
    assert.match(await entry.innerText(), /Ada Owner\s+imported or changed 1 contact in “My bot”\s+127\.0\.0\.1/);
    const at = await entry.locator('time').getAttribute('title');
    assert.match(at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    await ada.page.getByRole('row').filter({ hasText: 'set up the account' }).waitFor();
  });

  test('is narrowed by person, type of action and days, and exported as it is shown', async () => {
    await world.callAccount(account, 'POST', 'secrets', { name: '=Narrowed' });
    await ada.goTo('/bots');
    await ada.sees('Bots');
    await ada.goTo('/audit');
    const row = ada.page.getByRole('row').filter({ hasText: 'created the secret “=Narrowed”' });
    await row.waitFor();
    await ada.page.getByLabel('Type of action').selectOption('Members');
    await row.waitFor({ state: 'detached' });
    await ada.page.getByText('set up the account').waitFor();
    await ada.page.getByLabel('Type of action').selectOption('Secrets');
    await ada.page.getByLabel('Who').selectOption('Ada Owner');
    await row.waitFor();
    const [download] = await Promise.all([ada.page.waitForEvent('download'), ada.press('Export CSV')]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    assert.equal(lines[0], '\ufeffTime,Who,What,From,Action,Actor ID,Object ID');
    assert.match(
      lines[1] ?? '',
      /Z,Ada Owner,created the secret “=Narrowed”,127\.0\.0\.1,secret\.create,mem_\w+,sec_\w+$/,
    );
    assert.ok(lines.slice(1).every((line) => /,secret\.\w+,mem_/.test(line)));
    await ada.page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await ada.page.getByText('No entries').waitFor();
    await ada.page.getByLabel('To', { exact: true }).fill('');
    await ada.page.getByLabel('From', { exact: true }).fill('2020-01-01');
    await row.waitFor();
  });

  test('counts failed sign-ins, and names nobody for them', async () => {
    const body = JSON.stringify({ email: account.email, password: 'not the password' });
    const headers = { 'content-type': 'application/json', origin: world.url };
    for (let attempt = 0; attempt < 2; attempt++) {
      await fetch(`${world.url}/v1/account/session`, { method: 'POST', headers, body });
    }
    await ada.goTo('/bots');
    await ada.sees('Bots');
    await ada.goTo('/audit');
    const entry = ada.page.getByRole('row').filter({ hasText: 'failed sign-in' });
    await entry.waitFor();
    assert.match(await entry.innerText(), /–\s+2 failed sign-in attempts for “Ada Owner”/);
  });

  test('more of it is loaded when it is asked for, each entry once', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `Secret number ${at}`);
    for (const name of names) await world.callAccount(account, 'POST', 'secrets', { name });
    await ada.goTo('/bots');
    await ada.sees('Bots');
    await ada.goTo('/audit');
    await ada.press('Load more');
    const rows = ada.page.getByRole('row');
    // The heading, a page of fifty, and some of the next.
    await rows.nth(55).waitFor();
    const shown = (await rows.allInnerTexts())
      .flatMap((text) => /Secret number (\d+)/.exec(text)?.[1] ?? [])
      .map(Number);
    const [newest = 0] = shown;
    assert.ok(shown.length > 50);
    assert.deepEqual(
      shown,
      Array.from(shown, (_, at) => newest - at),
      'none twice, none left out',
    );
  });
});

suite('the organization', () => {
  test('an owner gives it another name, which is shown at once', async () => {
    await ada.goTo('/account');
    await ada.fill({ 'Name *': 'Better Ltd' });
    await ada.press('Rename');
    await ada.seesNotice('Renamed.');
    await ada.page.getByRole('navigation', { name: 'Console' }).getByText('Better Ltd').waitFor();
  });
});
