// The visitor is recognised, or is not: what they see in a real browser, and which events the page receives.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { callerOf } from '../harness.ts';
import { addBot, addContact, mintToken, pageOf, scriptTag, startWorld, Visitor } from './site.ts';

const world = await startWorld();
const { service } = world;
const year = 366 * 86_400_000;

suite('who is recognised', () => {
  test('a visitor without a token is greeted as a guest, in the bot’s words', async (t) => {
    const bot = await addBot(world, { name: 'Shop bot', greeting: 'Ask us\nanything.' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    await visitor.seesGuest();
    const text = await visitor.readPanel();
    assert.ok(text.includes('Shop bot') && text.includes('Ask us | anything.'), text);
    assert.deepEqual(await visitor.storage(), {});
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('a token in the script’s address greets the visitor by name', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane Doe');
    const [, [, detail]] = (await visitor.events()) as [unknown, [string, { contact: Record<string, string> }]];
    assert.deepEqual(Object.keys(detail.contact).sort(), ['expiresAt', 'id', 'name']);
    assert.equal(detail.contact['id'], jane.id);
  });

  test('a login after the script has loaded resolves with the contact', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    const contact = await visitor.login(jane.token);
    assert.ok(typeof contact === 'object' && contact.id === jane.id && contact.name === 'Jane Doe');
    await visitor.sees('Jane Doe');
    await visitor.receives('ready', 'login');
  });

  test('the visitor stays recognised on the next page of the site, until the logout', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane Doe');

    await visitor.logout();
    await visitor.receives('ready', 'login', 'logout');
    await visitor.seesGuest();
    assert.deepEqual(await visitor.storage(), {});
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    await visitor.seesGuest();
  });

  test('each bot has its own visitor, and another site none', async (t) => {
    const [bot, other] = [await addBot(world), await addBot(world)];
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    await visitor.visit(world, pageOf(scriptTag(world, other)));
    await visitor.receives('ready');
    await visitor.seesGuest();
    // The same server by another name is another origin.
    world.pages.set('/', { html: pageOf(scriptTag(world, bot)) });
    await visitor.page.goto(world.siteUrl.replace('127.0.0.1', 'localhost'));
    await visitor.receives('ready');
    await visitor.seesGuest();
  });

  test('switching to another contact leaves nothing of the first', async (t) => {
    const bot = await addBot(world);
    const [jane, joe] = [
      await addContact(world, bot, { name: 'Jane Doe' }),
      await addContact(world, bot, { name: 'Joe' }),
    ];
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.sees('Jane Doe');
    await visitor.login(joe.token);
    await visitor.receives('ready', 'login', 'logout', 'login');
    const contacts = (await visitor.events())
      .slice(1)
      .map(([, detail]) => (detail as { contact: { id: string } }).contact.id);
    assert.deepEqual(contacts, [jane.id, jane.id, joe.id]);
    await visitor.sees('Joe');
    const everything = await visitor.page.evaluate(() => {
      const widget = document.querySelector('chat-widget')?.shadowRoot?.innerHTML;
      return JSON.stringify([
        document.documentElement.outerHTML,
        widget,
        { ...localStorage },
        { ...sessionStorage },
        document.cookie,
      ]);
    });
    for (const trace of ['Jane', jane.id, jane.token]) assert.ok(!everything.includes(trace), trace);
    assert.ok(everything.includes(joe.token));
  });

  test('a switch to a token that is refused leaves a guest, not the first contact', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.sees('Jane Doe');
    assert.equal(await visitor.login(`c:${'x'.repeat(43)}`), 'expired');
    await visitor.receives('ready', 'login', 'logout', 'expired');
    await visitor.seesGuest();
    assert.deepEqual(await visitor.storage(), {});
  });

  test('a new token of the same contact is no change of person', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    await visitor.login(await mintToken(world, bot, jane));
    await visitor.receives('ready', 'login', 'login');
    await visitor.sees('Jane Doe');
  });

  test('of two logins the later wins, even when the earlier is answered last', async (t) => {
    const bot = await addBot(world);
    const [jane, joe] = [
      await addContact(world, bot, { name: 'Jane Doe' }),
      await addContact(world, bot, { name: 'Joe' }),
    ];
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    const release = await visitor.holdIdentification(jane.token);
    const first = visitor.login(jane.token);
    const second = await visitor.login(joe.token);
    release();
    assert.equal(await first, 'superseded');
    assert.ok(typeof second === 'object' && second.name === 'Joe');
    await visitor.sees('Joe');
    await visitor.receives('ready', 'login');
  });

  test('a logout overtakes a login in flight', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    const release = await visitor.holdIdentification();
    const login = visitor.login(jane.token);
    await visitor.logout();
    release();
    assert.equal(await login, 'superseded');
    await visitor.seesGuest();
    await visitor.receives('ready');
    assert.deepEqual(await visitor.storage(), {});
  });
});

suite('a token that is refused', () => {
  test('an expired one leaves a guest and is forgotten, in the address as in the storage', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    service.clock.nowMs += year;
    t.after(() => {
      service.clock.nowMs -= year;
    });
    for (const token of [undefined, jane.token]) {
      await visitor.visit(world, pageOf(scriptTag(world, bot, token)));
      await visitor.receives('ready', 'expired');
      await visitor.seesGuest();
      assert.deepEqual(await visitor.storage(), {});
    }
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('a revoked one', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const call = callerOf(service.url, { ...service.mine, bot });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    assert.equal((await call('DELETE', `auth/contacts/${jane.token}`)).status, 204);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready', 'expired');
    await visitor.seesGuest();
  });

  test('one whose contact was deleted meanwhile', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const call = callerOf(service.url, { ...service.mine, bot });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    assert.equal((await call('DELETE', `contacts/${jane.id}`)).status, 204);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready', 'expired');
    await visitor.seesGuest();
  });

  test('one of another bot', async (t) => {
    const [bot, other] = [await addBot(world), await addBot(world)];
    const jane = await addContact(world, other, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'expired');
    await visitor.seesGuest();
  });

  test('garbage is not even sent, and a secret is called by its name', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, 'nonsense <b>')));
    await visitor.receives('ready', 'error');
    await visitor.seesGuest();
    for (const garbage of ['', 'c:', 'c:a b', 'c:\n', 'c:ü', service.mine.secret]) {
      assert.equal(await visitor.login(garbage), 'invalid_token', garbage);
    }
    for (const garbage of [undefined, null, 5, {}]) {
      assert.equal(await visitor.login(garbage as unknown as string), 'invalid_token');
    }
    const reported = (await visitor.events()).map(([, detail]) => JSON.stringify(detail));
    assert.ok(reported.some((detail) => detail.includes('secret')));
    for (const detail of reported) assert.ok(!detail.includes(service.mine.secret) && !detail.includes('nonsense'));
    assert.ok(visitor.requests.every((request) => !request.url().includes('auth/contact')));
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('a login whose promise is ignored is no error of the page', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    const script =
      '<script>(window.Roster ||= []).push((roster) => void roster.auth.contacts.login({ token: "c:x" }))</script>';
    await visitor.visit(world, pageOf(script + scriptTag(world, bot)));
    await visitor.receives('ready', 'expired');
    assert.deepEqual(visitor.pageErrors, []);
  });
});
