// The panel's channels, the language that it speaks, and what an accessibility checker says about all of it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Channel, defaultBotSettings } from '@roster/contract';
import { findViolations } from './axe.ts';
import { addBot, addContact, pageOf, scriptTag, startWorld, Visitor } from './site.ts';

const world = await startWorld();

const channels: Channel[] = [
  { type: 'phone', value: '+1 (555) 010-0123', label: '' },
  { type: 'whatsapp', value: '+15550100123', label: 'Chat with us' },
  { type: 'messenger', value: 'example.shop', label: '' },
  { type: 'email', value: 'help@example.com', label: '' },
  { type: 'link', value: 'https://example.com/help?a=1&b=2', label: '' },
];

/** A page with landmarks of its own, beside which the widget's must be in order. */
const shop = '<header>Shop</header><main><h1>Offers</h1></main><footer>The end</footer>';

function inLanguage(lang: string, head: string): string {
  const page = pageOf(`<meta name="viewport" content="width=device-width">${head}`, shop);
  return page.replace(' lang="en"', lang === '' ? '' : ` lang="${lang}"`);
}

async function hrefs({ page }: Visitor): Promise<(string | null)[]> {
  await page.locator('chat-widget .launcher').waitFor();
  return page
    .locator('chat-widget a')
    .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).getAttribute('href')));
}

suite('channels', () => {
  test('are links in the panel, in their order, each with a name', async (t) => {
    const bot = await addBot(world, { channels });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.readPanel();
    const links = visitor.page.getByRole('list', { name: 'Contact us' }).getByRole('link');
    assert.deepEqual(
      (await links.allInnerTexts()).map((text) => text.replaceAll(/\s*\n\s*/g, ' | ')),
      ['Phone | +1 (555) 010-0123', 'Chat with us', 'Messenger', 'Email | help@example.com', 'example.com'],
    );
    assert.deepEqual(await hrefs(visitor), [
      'tel:+15550100123',
      'https://wa.me/15550100123',
      'https://m.me/example.shop',
      'mailto:help@example.com',
      'https://example.com/help?a=1&b=2',
    ]);
    // A page that was opened cannot reach the page of the shop, and does not learn its address.
    const opening = await links.evaluateAll((all) =>
      (all as HTMLAnchorElement[]).filter(({ href }) => href.startsWith('https:')).map((a) => [a.target, a.rel]),
    );
    assert.deepEqual(opening, Array(3).fill(['_blank', 'noopener noreferrer']));
  });

  test('a hostile one can do nothing: it has no button, or its button leads where its type says', async (t) => {
    const values = [
      'javascript:hacked=1',
      'JaVaScRiPt://example.com/%0ahacked=1',
      ' \tjava\nscript:hacked=1',
      'data:text/html,<script>hacked=1</script>',
      'vbscript:x',
      'http://example.com/',
      'blob:https://example.com/x',
      '"><img src=x onerror=hacked=1>',
      "' onmouseover='hacked=1",
      '//evil.example',
      '\ud800',
      '',
    ];
    const types = ['link', 'whatsapp', 'messenger', 'email', 'phone', 'fax'] as Channel['type'][];
    const hostile = types.flatMap((type) => values.map((value) => ({ type, value, label: value })));
    // Nothing like this is stored, but the script does not trust the service.
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    const odd = [...hostile, 5, 'x', {}, { type: 'link', value: 5 }, { type: 'toString', value: 'x' }];
    const data = { name: 'Support', greeting: '', color: '#2f6fed', position: 'right', channels: odd, greetings: {} };
    const headers = { 'access-control-allow-origin': '*' };
    await visitor.page.route('**/widget', (route) => route.fulfill({ json: { data }, headers }));
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    await visitor.readPanel();
    const allowed = /^(?:https:\/\/wa\.me\/\d*|https:\/\/m\.me\/[\w.%'!~*()-]*|mailto:[\w.%@'!~*()-]*|tel:[+\d]*)$/;
    const found = await hrefs(visitor);
    for (const href of found) assert.match(href ?? '', allowed);
    for (const link of await visitor.page.locator('chat-widget a').all()) {
      await link.dispatchEvent('mouseover');
      const attributes = await link.evaluate((element) => element.getAttributeNames().sort().join());
      assert.match(attributes, /^href(?:,rel,target)?$/);
    }
    assert.equal(await visitor.page.evaluate(() => 'hacked' in window), false);
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('a text goes into the first channel that takes one, is encoded, and stays with its contact', async (t) => {
    const bot = await addBot(world, { channels: channels.filter(({ type }) => type !== 'whatsapp') });
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token)));
    await visitor.receives('ready', 'login');
    const say = (text: string) =>
      visitor.page.evaluate((text) => {
        const event = new CustomEvent('ChatnessWidgetMessage', { detail: { text } });
        document.querySelector('chat-widget')?.dispatchEvent(event);
      }, text);
    const mailLink = async () => (await hrefs(visitor)).find((href) => href?.startsWith('mailto:'));
    await say('Jane’s order & "more"\n\ud83d 100%');
    assert.equal(
      await mailLink(),
      'mailto:help@example.com?body=Jane%E2%80%99s%20order%20%26%20%22more%22%0A%20100%25',
    );
    await visitor.logout();
    assert.equal(await mailLink(), 'mailto:help@example.com');
    await say('From a guest');
    await visitor.login(jane.token);
    assert.equal(await mailLink(), 'mailto:help@example.com?body=From%20a%20guest');
  });
});

test('a new bot asks how it can help where a visitor can answer, and only greets where there is no channel', async (t) => {
  const { greeting } = defaultBotSettings;
  const readPanelOf = async (settings: Parameters<typeof addBot>[1]) => {
    const bot = await addBot(world, { ...defaultBotSettings, ...settings });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    return visitor.readPanel();
  };
  const silent = await readPanelOf({});
  assert.ok(silent.includes('Hello!') && !silent.includes(greeting), silent);
  const asking = await readPanelOf({ channels });
  assert.ok(asking.includes(`Hello! | ${greeting}`), asking);
  const written = await readPanelOf({ greeting: 'What brings you here?' });
  assert.ok(written.includes('Hello! | What brings you here?'), 'a greeting that somebody wrote is always shown');
});

suite('languages', () => {
  const greeting = 'Good to see you.';
  const greetings = { de: 'Grüezi!', 'de-AT': 'Servus!', ar: 'أهلاً', sv: 'Hej hej!', 'pt-BR': 'Oi!' };
  const expected: [lang: string, browser: string, said: string, hello: string, dir: string][] = [
    ['en', 'de-DE', greeting, 'Hello!', 'ltr'],
    ['de', 'en-GB', 'Grüezi!', 'Hallo!', 'ltr'],
    ['de-at', 'en-GB', 'Servus!', 'Hallo!', 'ltr'],
    ['de-CH', 'en-GB', 'Grüezi!', 'Hallo!', 'ltr'],
    ['pt_BR', 'en-GB', 'Oi!', 'Olá!', 'ltr'],
    ['pt-PT', 'en-GB', greeting, 'Olá!', 'ltr'],
    ['ar-EG', 'en-GB', 'أهلاً', 'مرحبًا!', 'rtl'],
    ['he', 'en-GB', greeting, 'שלום!', 'rtl'],
    ['fa', 'en-GB', greeting, 'سلام!', 'rtl'],
    ['sv', 'de-DE', 'Hej hej!', 'Hello!', 'ltr'],
    ['', 'de-DE', 'Grüezi!', 'Hallo!', 'ltr'],
    ['', 'ja-JP', greeting, 'こんにちは！', 'ltr'],
    ['not a tag', 'fr-FR', greeting, 'Bonjour\u00a0!', 'ltr'],
  ];
  for (const [lang, locale, said, hello, dir] of expected) {
    test(`a page in "${lang}" in a browser in ${locale} shows "${hello}" and "${said}"`, async (t) => {
      const bot = await addBot(world, { greeting, greetings });
      const visitor = await Visitor.arrive(t, world, { locale });
      await visitor.visit(world, inLanguage(lang, scriptTag(world, bot)));
      await visitor.receives('ready');
      await visitor.readPanel();
      const { page } = visitor;
      assert.equal(await page.locator('chat-widget h2').textContent(), hello);
      assert.equal(await page.locator('chat-widget p').textContent(), said);
      assert.equal(await page.getByRole('dialog').evaluate((panel) => getComputedStyle(panel).direction), dir);
    });
  }

  test('Chinese is written as the region writes it', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    const scripts = { 'zh-Hant': ['zh-TW', 'zh-HK', 'zh_MO', 'zh-Hant'], zh: ['zh', 'zh-CN', 'zh-SG', 'zh-Hans-HK'] };
    for (const [lang, tags] of Object.entries(scripts)) {
      for (const tag of tags) {
        await visitor.visit(world, inLanguage(tag, scriptTag(world, bot)));
        await visitor.receives('ready');
        const text = await visitor.readPanel();
        assert.ok(text.includes(lang === 'zh' ? '您尚未登录' : '您尚未登入'), `${tag}: ${text}`);
        assert.equal(
          await visitor.page.getByRole('dialog').evaluate((panel) => panel.closest('[lang]')?.getAttribute('lang')),
          lang,
        );
      }
    }
  });

  test('a name is put where the language has it, whatever its own direction', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    for (const [lang, hello] of [
      ['ja', 'Jane Doeさん、こんにちは！'],
      ['es-MX', '¡Hola, Jane Doe!'],
      ['he', 'שלום Jane Doe!'],
    ] as const) {
      await visitor.visit(world, inLanguage(lang, scriptTag(world, bot, jane.token)));
      await visitor.receives('ready', 'login');
      assert.equal(await visitor.page.locator('chat-widget h2').textContent(), hello);
    }
  });

  test('from right to left the close button is on the left, and a launcher on the right stays there', async (t) => {
    const bot = await addBot(world, { channels });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, inLanguage('ar', scriptTag(world, bot)));
    await visitor.readPanel();
    const { page } = visitor;
    const boxOf = async (selector: string) => {
      const box = await page.locator(`chat-widget ${selector}`).first().boundingBox();
      assert.ok(box !== null);
      return box;
    };
    const [panel, close, icon] = [await boxOf('#panel'), await boxOf('.close'), await boxOf('a svg')];
    assert.ok(close.x < panel.x + panel.width / 2);
    assert.ok(icon.x > panel.x + panel.width / 2);
    assert.equal((await boxOf('.launcher')).x, 1280 - 76);
  });
});

suite('an accessibility checker', () => {
  const looks = [
    { lang: 'en', colorScheme: 'light' },
    { lang: 'en', colorScheme: 'dark' },
    { lang: 'ar', colorScheme: 'light' },
    { lang: 'en', colorScheme: 'light', viewport: { width: 360, height: 640 } },
  ] as const;
  for (const { lang, ...options } of looks) {
    test(`finds nothing, closed or open, guest or contact: ${JSON.stringify({ lang, ...options })}`, async (t) => {
      const bot = await addBot(world, { channels, greetings: { ar: 'أهلاً' } });
      const jane = await addContact(world, bot, { name: 'Jane Doe' });
      const visitor = await Visitor.arrive(t, world, options);
      const { page } = visitor;
      await visitor.visit(world, inLanguage(lang, scriptTag(world, bot)));
      await visitor.receives('ready');
      assert.deepEqual(await findViolations(page), []);
      await page.locator('chat-widget .launcher').click();
      await page.getByRole('dialog').waitFor();
      assert.deepEqual(await findViolations(page), []);
      await visitor.login(jane.token);
      assert.deepEqual(await findViolations(page), []);
    });
  }
});
