// Embedding the script: before and after it has loaded, twice, on strict pages, and where it cannot work.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { makeId } from '../../src/contacts/ids.ts';
import { loadWidgetScript } from '../../src/program/built-files.ts';
import { addBot, addContact, pageOf, scriptTag, startWorld, Visitor } from './site.ts';

const world = await startWorld();
const { service } = world;

/** The snippet of docs/embedding.md, so that what is documented is what is tested. */
const docs = readFileSync(new URL('../../../../docs/embedding.md', import.meta.url), 'utf8');
const stub = /<script>\n\s*window\.Roster = [\s\S]*?<\/script>/.exec(docs)?.[0] ?? '';

suite('calls before the script has loaded', () => {
  test('what was pushed is run in order, and one that throws keeps nothing from the others', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    const early = `<script>
      (window.Roster = window.Roster || []).push(() => { throw new Error('of the page'); });
      Roster.push((roster) => { roster.auth.contacts.login({ token: '${jane.token}' }).then((contact) => { window.loggedIn = contact.name; }); });
      Roster.push((roster) => { roster.widget.open(); });
      window.kept = Roster;
    </script>`;
    await visitor.visit(world, pageOf(early + scriptTag(world, bot)));
    await visitor.receives('ready', 'login');
    await visitor.page.getByRole('dialog').waitFor();
    await visitor.sees('Jane Doe');
    const seen = await visitor.page.evaluate(async () => {
      const page = window as unknown as { loggedIn: string; kept: { push(task: () => void): void } };
      // The array that the page kept works on, and so does the global object.
      const order: string[] = [];
      page.kept.push(() => order.push('kept'));
      window.Roster ??= [];
      window.Roster.push((roster) => {
        // @ts-expect-error: the types know what a login takes.
        const wrong: Parameters<typeof roster.auth.contacts.login>[0] = { secret: '' };
        order.push(`${wrong !== undefined} ${roster.auth.contacts.current()?.name}`);
      });
      return [page.loggedIn, ...order];
    });
    assert.deepEqual(seen, ['Jane Doe', 'kept', 'true Jane Doe']);
  });

  test('with the documented snippet calls can be made early, and their promises settle', async (t) => {
    assert.ok(stub.includes('auth.contacts.login'), 'docs/embedding.md has the snippet');
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    const early = `${stub}<script>
      window.outcomes = [];
      const { login } = Roster.auth.contacts;
      login({ token: 'nonsense' });
      login({ token: 'c:early' }).catch((error) => outcomes.push(error.code));
      login({ token: '${jane.token}' }).then((contact) => outcomes.push(contact.name));
      Roster.widget.open();
    </script>`;
    type Outcomes = { outcomes: string[] };
    const outcomes = async (count: number) => {
      await visitor.page.waitForFunction((count) => (window as unknown as Outcomes).outcomes?.length >= count, count);
      return visitor.page.evaluate(() => (window as unknown as Outcomes).outcomes);
    };
    const release = await visitor.holdIdentification(jane.token);
    await visitor.visit(world, pageOf(early + scriptTag(world, bot)));
    assert.deepEqual(await outcomes(1), ['superseded']);
    release();
    assert.deepEqual(await outcomes(2), ['superseded', 'Jane Doe']);
    await visitor.receives('ready', 'login');
    await visitor.page.getByRole('dialog').waitFor();
    await visitor.sees('Jane Doe');
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('a login of the page takes precedence over the script’s address, and that over the last page', async (t) => {
    const bot = await addBot(world);
    const [jane, joe] = [await addContact(world, bot, { name: 'Jane' }), await addContact(world, bot, { name: 'Joe' })];
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.sees('Jane');
    await visitor.visit(world, pageOf(scriptTag(world, bot, joe.token)));
    await visitor.receives('ready', 'login');
    await visitor.sees('Joe');
    const early = `<script>(window.Roster = []).push((roster) => roster.auth.contacts.login({ token: '${jane.token}' }))</script>`;
    await visitor.visit(world, pageOf(early + scriptTag(world, bot, joe.token)));
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane');
  });
});

suite('the script twice', () => {
  test('for the same bot it is one widget, and the token of the second is taken', async (t) => {
    const bot = await addBot(world);
    const [jane, joe] = [await addContact(world, bot, { name: 'Jane' }), await addContact(world, bot, { name: 'Joe' })];
    const visitor = await Visitor.arrive(t, world);
    const tag = (token?: string) => scriptTag(world, bot, token).replace(' async', '');
    await visitor.visit(world, pageOf(tag(jane.token) + tag(), `<p>${tag()}</p>`));
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane');
    await visitor.page.addScriptTag({ url: `${service.url}/widget.js?bot=${bot.id}&token=${joe.token}` });
    await visitor.receives('ready', 'login', 'logout', 'login');
    await visitor.sees('Joe');
    assert.equal(await visitor.page.locator('chat-widget').count(), 1);
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('for two bots the first stays, and the page gets an error for the second', async (t) => {
    const [bot, other] = [await addBot(world, { name: 'First' }), await addBot(world, { name: 'Second' })];
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    await visitor.page.addScriptTag({ url: `${service.url}/widget.js?bot=${other.id}` });
    await visitor.receives('ready', 'error');
    const [, [, detail]] = (await visitor.events()) as [unknown, [string, { code: string }]];
    assert.equal(detail.code, 'another_bot');
    assert.equal(await visitor.page.locator('chat-widget').count(), 1);
    assert.match(await visitor.readPanel(), /First/);
  });

  test('a global of the page’s own with that name is left alone; an element with that id is no global', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(`<script>window.Roster = { mine: true }</script>${scriptTag(world, bot)}`));
    await visitor.receives('error');
    assert.deepEqual(await visitor.page.evaluate(() => window.Roster), { mine: true });
    assert.equal(await visitor.page.locator('chat-widget').count(), 0);
    await visitor.visit(world, pageOf(scriptTag(world, bot), '<p id="Roster">Our team</p>'));
    await visitor.receives('ready');
  });
});

suite('strict pages', () => {
  const policy = `default-src 'none'; script-src ${service.url} 'self'; connect-src ${service.url}; base-uri 'none'; form-action 'none'`;

  const violations = (visitor: Visitor) => {
    const seen: string[] = [];
    visitor.page.on('console', (message) => {
      if (/Content Security Policy|trusted/i.test(message.text())) seen.push(message.text());
    });
    return seen;
  };

  for (const [what, csp] of [
    ['a strict Content-Security-Policy', policy],
    ['a policy that requires trusted types', `${policy}; require-trusted-types-for 'script'; trusted-types 'none'`],
  ] as const) {
    test(`${what} lets it work, with its styles, from files of the page’s own`, async (t) => {
      const channels = [{ type: 'whatsapp' as const, value: '+15550100123', label: '' }];
      const bot = await addBot(world, { color: '#0f766e', channels });
      const jane = await addContact(world, bot, { name: 'Jane Doe' });
      const visitor = await Visitor.arrive(t, world);
      const seen = violations(visitor);
      const html = `(window.Roster = window.Roster || []).push((roster) => roster.auth.contacts.login({ token: '${jane.token}' }));`;
      world.pages.set('/page.js', { html, type: 'text/javascript' });
      const head = `<script src="/page.js"></script>${scriptTag(world, bot)}`;
      await visitor.visit(world, pageOf(head), { 'content-security-policy': csp });
      await visitor.receives('ready', 'login');
      await visitor.sees('Jane Doe');
      const launcher = visitor.page.locator('chat-widget .launcher');
      const style = await launcher.evaluate((element) => {
        const { backgroundColor, borderRadius, position } = getComputedStyle(element);
        return { backgroundColor, borderRadius, position };
      });
      assert.deepEqual(style, { backgroundColor: 'rgb(15, 118, 110)', borderRadius: '50%', position: 'static' });
      await visitor.page.evaluate(() => {
        const event = new CustomEvent('ChatnessWidgetMessage', { detail: { text: 'Hi' } });
        document.querySelector('chat-widget')?.dispatchEvent(event);
      });
      const link = visitor.page.getByRole('link', { name: 'WhatsApp' });
      assert.equal(await link.getAttribute('href'), 'https://wa.me/15550100123?text=Hi');
      assert.deepEqual(seen, []);
      assert.deepEqual(visitor.pageErrors, []);
    });
  }

  test('a token in the script’s address is removed from the page also where trusted types are required', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    const csp = `${policy}; require-trusted-types-for 'script'; trusted-types 'none'`;
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)), { 'content-security-policy': csp });
    await visitor.receives('ready', 'login');
    const page = await visitor.page.content();
    assert.ok(!page.includes(jane.token));
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('the versioned address works with its integrity hash, and a changed script does not run', async (t) => {
    const bot = await addBot(world);
    const { version, integrity } = loadWidgetScript();
    const visitor = await Visitor.arrive(t, world);
    const tag = (hash: string) =>
      `<script async crossorigin="anonymous" integrity="${hash}" src="${service.url}/widget/${version}/widget.js?bot=${bot.id}"></script>`;
    await visitor.visit(world, pageOf(tag(integrity)), { 'cross-origin-embedder-policy': 'require-corp' });
    await visitor.receives('ready');
    await visitor.seesGuest();
    // The page counts as loaded when the script was refused.
    await visitor.visit(world, pageOf(tag(`sha384-${'A'.repeat(64)}`)));
    assert.deepEqual(await visitor.events(), []);
    assert.equal(await visitor.page.evaluate(() => window.Roster), undefined);
  });
});

suite('where it cannot work', () => {
  const failureOf = async (visitor: Visitor) =>
    (await visitor.events()).map(([, detail]) => (detail as { code: string }).code);

  test('an origin that the bot does not allow gets no widget but the reason, and is otherwise untouched', async (t) => {
    const bot = await addBot(world, { allowedOrigins: ['https://shop.example'] });
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('error');
    const [[, detail]] = (await visitor.events()) as [[string, { code: string; message: string }]];
    assert.equal(detail.code, 'unreachable');
    assert.ok(detail.message.includes(world.siteUrl), detail.message);
    assert.equal(await visitor.login(jane.token), 'unreachable');
    assert.deepEqual(await failureOf(visitor), ['unreachable'], 'it is reported once');
    assert.equal(await visitor.page.locator('chat-widget *').count(), 0);
    assert.equal(await visitor.page.locator('h1').innerText(), 'A shop');
    assert.deepEqual(await visitor.storage(), {});
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('an allowed origin does, beside one that is not', async (t) => {
    const bot = await addBot(world, { allowedOrigins: ['https://shop.example', world.siteUrl] });
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane Doe');
  });

  test('a bot that does not exist, or none at all', async (t) => {
    const visitor = await Visitor.arrive(t, world);
    for (const query of [`?bot=${makeId('bot', 1)}`, '?bot=../../x', '', '?bot=']) {
      await visitor.visit(world, pageOf(`<script async src="${service.url}/widget.js${query}"></script>`));
      await visitor.receives('error');
      assert.deepEqual(await failureOf(visitor), ['unknown_bot'], query);
      assert.equal(await visitor.page.locator('chat-widget *').count(), 0);
    }
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('a service that fails for a while does not cost the visitor their login', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'Authorization' };
    for (const status of [503, 429, 500]) {
      await visitor.page.route('**/auth/contact', (route) => route.fulfill({ status, headers }));
      await visitor.visit(world, pageOf(scriptTag(world, bot)));
      await visitor.receives('ready', 'error');
      await visitor.seesGuest();
      await visitor.page.unrouteAll();
    }
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane Doe');
  });

  test('without storage the login lasts as long as the page', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.context.addInitScript(() => {
      Object.defineProperty(window, 'localStorage', {
        get: () => {
          throw new DOMException('The operation is insecure.', 'SecurityError');
        },
      });
    });
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane Doe');
    await visitor.logout();
    await visitor.receives('ready', 'login', 'logout');
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    await visitor.seesGuest();
    assert.deepEqual(visitor.pageErrors, []);
  });
});

suite('the token', () => {
  test('is in no address but that of the script, in no referrer, and nowhere on the page', async (t) => {
    const bot = await addBot(world);
    const [jane, joe] = [await addContact(world, bot, { name: 'Jane' }), await addContact(world, bot, { name: 'Joe' })];
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token), '<a href="/">Home</a><img src="/x.png">'));
    await visitor.sees('Jane');
    await visitor.login(joe.token);
    await visitor.sees('Joe');
    const loaded = visitor.page.waitForEvent('load');
    await visitor.page.getByText('Home').click();
    await loaded;
    await visitor.receives('ready', 'login');
    const own = visitor.requests.filter((request) => request.url().startsWith(service.url));
    assert.ok(own.some((request) => request.url().endsWith('/auth/contact')));
    for (const request of visitor.requests) {
      const [address, referrer] = [request.url(), (await request.allHeaders())['referer'] ?? ''];
      const isScript = new URL(address).pathname === '/widget.js';
      for (const { token } of [jane, joe]) {
        const spellings = [token, encodeURIComponent(token)];
        assert.ok(isScript || !spellings.some((spelling) => address.includes(spelling)), address);
        assert.ok(!spellings.some((spelling) => referrer.includes(spelling)), referrer);
      }
      const isFetch = request.resourceType() === 'fetch';
      if (isFetch) assert.equal(referrer, '', 'the service does not learn which page the visitor is on');
      if (isFetch) assert.equal((await request.allHeaders())['cookie'], undefined);
    }
    const page = await visitor.page.content();
    assert.ok(!page.includes(jane.token) && !page.includes(encodeURIComponent(jane.token)), page);
    assert.ok(page.includes('/widget.js?bot='), 'the script’s address itself stays');
    const log = service.logged.join('');
    assert.ok(!log.includes(jane.token.slice(2)) && !log.includes(joe.token.slice(2)));
  });
});
