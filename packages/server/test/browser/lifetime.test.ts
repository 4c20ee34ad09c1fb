// How long the visitor is recognised: expiry and revocation while a page is open, new tokens, other tabs.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { RosterApi } from '@roster/widget';
import { hashCredential, makeContactToken } from '../../src/account/credentials.ts';
import type { Bot } from '../../src/store/store.ts';
import { sampleContext, sampleToken } from '../sample.ts';
import { addBot, addContact, type KnownContact, mintToken, pageOf, scriptTag, startWorld, Visitor } from './site.ts';

const world = await startWorld();
const { service } = world;

async function addPair(): Promise<{ bot: Bot; jane: KnownContact }> {
  const bot = await addBot(world);
  return { bot, jane: await addContact(world, bot, { name: 'Jane Doe' }) };
}

const revoke = (bot: Bot, token: string) =>
  service.store.revokeContactToken(bot.id, hashCredential(token), sampleContext());

/** Gives the page a supplier of new tokens, and counts its calls. */
function refreshWith(visitor: Visitor, tokens: (string | null)[]): Promise<void> {
  return visitor.page.evaluate((supplied) => {
    Object.assign(window, { asked: 0 });
    (window.Roster as RosterApi).auth.contacts.refreshWith(async () => {
      (window as unknown as { asked: number }).asked++;
      return supplied.shift();
    });
  }, tokens);
}

const askedCount = (visitor: Visitor) => visitor.page.evaluate(() => (window as unknown as { asked: number }).asked);

/** The storage and the event that a page sees when another tab has stored a token. */
function storeFromAnotherTab(visitor: Visitor, bot: Bot, token: string): Promise<void> {
  return visitor.page.evaluate(
    ([key = '', newValue = '']) => {
      localStorage.setItem(key, newValue);
      dispatchEvent(new StorageEvent('storage', { key, newValue, storageArea: localStorage }));
    },
    [`roster:${bot.id}`, token],
  );
}

suite('while a page is open', () => {
  test('a token that expires is noticed at that time, and the page gets an event with its contact', async (t) => {
    const { bot, jane } = await addPair();
    const token = makeContactToken();
    const visitor = await Visitor.arrive(t, world);
    await visitor.page.clock.install({ time: service.clock.nowMs });
    const expiresAtMs = service.clock.nowMs + 3_600_000;
    const stored = sampleToken({ hash: hashCredential(token), expiresAtMs });
    await service.store.createContactToken(bot.id, jane.id, stored, undefined, sampleContext());
    await visitor.visit(world, pageOf(scriptTag(world, bot, token)));
    await visitor.receives('ready', 'login');
    service.clock.nowMs += 3_600_000;
    await visitor.page.clock.fastForward(3_600_000);
    await visitor.receives('ready', 'login', 'expired');
    const detail = (await visitor.events()).at(-1)?.[1] as { contact: { id: string } };
    assert.equal(detail.contact.id, jane.id);
    assert.deepEqual(await visitor.storage(), {});
    await visitor.seesGuest();
  });

  test('a visitor whose clock is years ahead is recognised all the same', async (t) => {
    const { bot, jane } = await addPair();
    const visitor = await Visitor.arrive(t, world);
    await visitor.page.clock.install({ time: service.clock.nowMs + 10 * 366 * 86_400_000 });
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    const identifications = () => visitor.requests.filter((request) => request.url().endsWith('/auth/contact')).length;
    const before = identifications();
    await visitor.page.clock.fastForward(1_800_000);
    await visitor.sees('Jane Doe');
    // Opening the panel asks once more; the clock alone does not make it ask without end.
    await visitor.isAnswered();
    assert.ok(identifications() - before <= 2);
    await visitor.receives('ready', 'login');
  });

  test('a revoked token is noticed when the visitor opens the panel a while later', async (t) => {
    const { bot, jane } = await addPair();
    const visitor = await Visitor.arrive(t, world);
    await visitor.page.clock.install({ time: service.clock.nowMs });
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    await revoke(bot, jane.token);
    await visitor.page.clock.fastForward(61_000);
    await visitor.readPanel();
    await visitor.receives('ready', 'login', 'expired');
    await visitor.seesGuest();
  });

  test('a new name of the contact is shown when the panel is opened a while later', async (t) => {
    const { bot, jane } = await addPair();
    const visitor = await Visitor.arrive(t, world);
    await visitor.page.clock.install({ time: service.clock.nowMs });
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    const { nowMs } = service.clock;
    await service.store.updateContact(bot.id, jane.id, { name: 'Jane Roe' }, sampleContext({ nowMs }));
    await visitor.page.clock.fastForward(61_000);
    await visitor.readPanel();
    await visitor.sees('Jane Roe');
    await visitor.receives('ready', 'login');
  });
});

suite('a new token for one that is refused', () => {
  test('the page’s function supplies it, and the visitor is recognised again', async (t) => {
    const { bot, jane } = await addPair();
    await revoke(bot, jane.token);
    const fresh = await mintToken(world, bot, jane);
    for (const early of [true, false]) {
      const visitor = await Visitor.arrive(t, world);
      const script = `<script>(window.Roster = []).push((roster) => roster.auth.contacts.refreshWith(() => ({ token: '${fresh}' })))</script>`;
      await visitor.visit(world, pageOf((early ? script : '') + scriptTag(world, bot, jane.token)));
      if (!early) {
        // The token was refused before there was a supplier, which is therefore called at once.
        await visitor.receives('ready', 'expired');
        await refreshWith(visitor, [fresh]);
      }
      await visitor.receives('ready', 'expired', 'login');
      await visitor.sees('Jane Doe');
      assert.deepEqual(Object.values(await visitor.storage()), [fresh]);
    }
  });

  test('no further token is requested when the new one is refused too, or missing', async (t) => {
    const { bot, jane } = await addPair();
    await revoke(bot, jane.token);
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    await refreshWith(visitor, [jane.token, null]);
    await visitor.login(jane.token);
    await visitor.receives('ready', 'expired', 'expired');
    await visitor.isAnswered();
    assert.equal(await askedCount(visitor), 1);
    await visitor.login(jane.token);
    await visitor.receives('ready', 'expired', 'expired', 'expired');
    assert.equal(await askedCount(visitor), 2);
    await visitor.seesGuest();
  });

  test('a function that fails causes an error event, and the visitor stays a guest', async (t) => {
    const { bot, jane } = await addPair();
    await revoke(bot, jane.token);
    const visitor = await Visitor.arrive(t, world);
    const script = `<script>(window.Roster = []).push((roster) => roster.auth.contacts.refreshWith(() => { throw new Error('of the page') }))</script>`;
    await visitor.visit(world, pageOf(script + scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'expired', 'error');
    const [, detail] = (await visitor.events())[2] as [string, { code: string }];
    assert.equal(detail.code, 'refresh_failed');
    await visitor.seesGuest();
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('a logout in the meantime takes precedence over the new token', async (t) => {
    const { bot, jane } = await addPair();
    await revoke(bot, jane.token);
    const fresh = await mintToken(world, bot, jane);
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    await visitor.page.evaluate((token) => {
      const { contacts } = (window.Roster as RosterApi).auth;
      contacts.refreshWith(async () => {
        await contacts.logout();
        return token;
      });
    }, fresh);
    await visitor.login(jane.token);
    await visitor.isAnswered();
    await visitor.receives('ready', 'expired');
    await visitor.seesGuest();
  });
});

suite('other pages of the same site', () => {
  test('a logout in one tab is one in all, and a login too', async (t) => {
    const { bot, jane } = await addPair();
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    const other = await visitor.context.newPage();
    await other.goto(world.siteUrl);
    await visitor.login(jane.token);
    const greeting = other.locator('chat-widget h2');
    await other.locator('chat-widget .launcher').click();
    await greeting.filter({ hasText: 'Hello, Jane Doe!' }).waitFor();
    await other.evaluate(() => (window.Roster as RosterApi).auth.contacts.logout());
    await visitor.receives('ready', 'login', 'logout');
    await visitor.seesGuest();
    assert.deepEqual(await visitor.storage(), {});
  });

  test('a login of the page’s own is not overtaken by one of another tab', async (t) => {
    const { bot, jane } = await addPair();
    const joe = await addContact(world, bot, { name: 'Joe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    const release = await visitor.holdIdentification();
    const login = visitor.login(jane.token);
    await storeFromAnotherTab(visitor, bot, joe.token);
    release();
    assert.equal(((await login) as { name: string }).name, 'Jane Doe');
    await visitor.sees('Jane Doe');
    assert.deepEqual(Object.values(await visitor.storage()), [jane.token]);
  });

  test('a token that expires takes no newer one of another tab with it', async (t) => {
    const { bot, jane } = await addPair();
    const visitor = await Visitor.arrive(t, world);
    await visitor.page.clock.install({ time: service.clock.nowMs });
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    const newer = await mintToken(world, bot, jane);
    await visitor.page.evaluate(
      ([key = '', token = '']) => localStorage.setItem(key, token),
      [`roster:${bot.id}`, newer],
    );
    await revoke(bot, jane.token);
    await visitor.page.clock.fastForward(61_000);
    await visitor.readPanel();
    await visitor.receives('ready', 'login', 'expired');
    assert.deepEqual(Object.values(await visitor.storage()), [newer]);
  });

  test('a page that the visitor goes back to does not remember who has logged out since', async (t) => {
    const { bot, jane } = await addPair();
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.sees('Jane Doe');
    // Browsers under test keep no page in memory, so the page gets the event that it would get on its return.
    await visitor.page.evaluate(() => {
      localStorage.clear();
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    await visitor.seesGuest();
  });
});
