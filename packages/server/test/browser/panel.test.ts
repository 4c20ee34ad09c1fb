// The launcher and the panel: for the eye, the keyboard and the screen reader, on pages of every kind.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { RosterApi } from '@roster/widget';
import { addBot, addContact, pageOf, scriptTag, startWorld, Visitor } from './site.ts';

const world = await startWorld();

/** A visitor on a page with the widget, which is loaded and closed. */
async function arrive(
  t: Parameters<typeof Visitor.arrive>[0],
  options: Parameters<typeof Visitor.arrive>[2] & { body?: string; name?: string } = {},
) {
  const { body, name, ...context } = options;
  const bot = await addBot(world, { name: 'Support', color: '#0f766e' });
  const token = name === undefined ? undefined : (await addContact(world, bot, { name })).token;
  const visitor = await Visitor.arrive(t, world, context);
  const head = '<meta name="viewport" content="width=device-width">';
  await visitor.visit(world, pageOf(head + scriptTag(world, bot, token), body));
  await visitor.receives(...(token === undefined ? ['ready'] : ['ready', 'login']));
  const launcher = visitor.page.getByRole('button', { name: 'Support' });
  const panel = visitor.page.getByRole('dialog', { name: 'Support' });
  const ask = (method: keyof RosterApi['widget']) =>
    visitor.page.evaluate((name) => (window.Roster as RosterApi).widget[name](), method);
  return { visitor, page: visitor.page, launcher, panel, ask };
}

suite('text', () => {
  const hostile = [
    '<img src=x onerror="window.hacked = 1">',
    '</h2><script>window.hacked = 1</script>',
    '"><svg/onload=hacked=1>',
    '{{constructor.constructor("hacked=1")()}}',
    'javascript:hacked=1',
    '\u202eevil\u202c \u2066x',
    '&lt;b&gt;bold&amp;',
  ];

  test('a hostile contact name is shown as it is, and nothing of it happens', async (t) => {
    for (const name of hostile) {
      const { visitor, page } = await arrive(t, { name });
      await visitor.readPanel();
      const shown = await page.locator('chat-widget h2 bdi').evaluate((element) => element.textContent);
      assert.equal(shown, name);
      const inside = await page.locator('chat-widget').evaluate((host) => {
        return Array.from(host.shadowRoot?.querySelectorAll('*') ?? [], ({ tagName }) => tagName.toLowerCase());
      });
      for (const tag of ['script', 'img', 'b', 'iframe']) assert.ok(!inside.includes(tag), tag);
      assert.equal(await page.evaluate(() => 'hacked' in window), false, name);
      assert.deepEqual(visitor.pageErrors, []);
    }
  });

  test('so are a hostile bot name and greeting', async (t) => {
    const [name = '', greeting = ''] = hostile;
    const bot = await addBot(world, { name, greeting });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    const text = await visitor.readPanel();
    assert.ok(text.includes(name) && text.includes(greeting), text);
    assert.equal(await visitor.page.evaluate(() => 'hacked' in window), false);
  });

  test('the longest name and words without a break stay within the panel', async (t) => {
    for (const name of ['W'.repeat(256), '漢'.repeat(256), 'Jane Doe '.repeat(28).trim()]) {
      const { visitor, panel } = await arrive(t, { name });
      await visitor.readPanel();
      const overflow = await panel.evaluate((element) => {
        const { right, left } = element.getBoundingClientRect();
        return Array.from(element.querySelectorAll('*')).some((inner) => {
          const box = inner.getBoundingClientRect();
          return box.right > right + 1 || box.left < left - 1;
        });
      });
      assert.equal(overflow, false, name.slice(0, 10));
    }
  });
});

suite('keyboard and screen reader', () => {
  test('the keyboard opens the panel, Escape closes it, and the focus moves there and back', async (t) => {
    const { page, launcher, panel } = await arrive(t, { body: '<button>First</button>' });
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.equal(await launcher.evaluate((element) => element.matches(':focus')), true);
    assert.equal(await launcher.getAttribute('aria-expanded'), 'false');
    await page.keyboard.press('Enter');
    await panel.waitFor();
    assert.equal(await panel.evaluate((element) => element.matches(':focus')), true);
    assert.equal(await launcher.getAttribute('aria-expanded'), 'true');
    await page.keyboard.press('Tab');
    assert.equal(
      await page.getByRole('button', { name: 'Close' }).evaluate((element) => element.matches(':focus')),
      true,
    );
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    assert.equal(await launcher.evaluate((element) => element.matches(':focus')), true);
  });

  test('the close button closes it, and so does the launcher', async (t) => {
    const { page, launcher, panel } = await arrive(t);
    for (const close of [page.getByRole('button', { name: 'Close' }), launcher]) {
      await launcher.click();
      await panel.waitFor();
      await close.click();
      await panel.waitFor({ state: 'hidden' });
    }
  });

  test('a screen reader gets names and roles, and announces a change of the visitor', async (t) => {
    const { visitor, page } = await arrive(t, { name: 'Jane Doe' });
    await visitor.readPanel();
    const tree = await page.locator('body').ariaSnapshot();
    for (const line of [
      /button "Support" \[expanded\]/,
      /dialog "Support"/,
      /button "Close"/,
      /heading "Hello, Jane Doe!"/,
    ]) {
      assert.match(tree, line);
    }
    assert.doesNotMatch(tree, /img|graphic/);
    const live = page.locator('chat-widget [aria-live="polite"]');
    assert.match(await live.innerText(), /Hello, Jane Doe!/);
    await visitor.logout();
    assert.match(await live.innerText(), /^Hello!/);
  });

  test('the keyboard goes back to the page’s own button that opened the panel', async (t) => {
    const body = '<button onclick="Roster.widget.open()">Chat with us</button>';
    const { page, panel } = await arrive(t, { body });
    await page.getByRole('button', { name: 'Chat with us' }).click();
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'hidden' });
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Chat with us');
  });

  test('whoever is writing is not interrupted by a panel that the page opens', async (t) => {
    const { page, panel, ask } = await arrive(t, { body: '<textarea></textarea>' });
    await page.locator('textarea').click();
    await ask('open');
    await panel.waitFor();
    await page.keyboard.type('still here');
    assert.equal(await page.locator('textarea').inputValue(), 'still here');
  });
});

suite('open, close, show and hide', () => {
  test('the page opens, closes, hides and shows, in any order and any number of times', async (t) => {
    const { launcher, panel, ask } = await arrive(t);
    const state = async () => [await launcher.isVisible(), await panel.isVisible()];
    const steps: [keyof RosterApi['widget'], boolean[]][] = [
      ['open', [true, true]],
      ['open', [true, true]],
      ['close', [true, false]],
      ['close', [true, false]],
      ['open', [true, true]],
      ['hide', [false, false]],
      ['open', [false, true]],
      ['close', [false, false]],
      ['show', [true, false]],
      ['show', [true, false]],
    ];
    for (const [method, expected] of steps) {
      await ask(method);
      assert.deepEqual(await state(), expected, method);
    }
  });

  test('a page that replaces its body has the widget again when it asks for it, or loads the script again', async (t) => {
    const { page, launcher, panel, ask } = await arrive(t);
    const replaceBody = () => page.evaluate(() => document.body.replaceWith(document.createElement('body')));
    await replaceBody();
    assert.equal(await launcher.count(), 0);
    await ask('open');
    assert.equal(await panel.isVisible(), true);
    await replaceBody();
    const address = await page.locator('head script').getAttribute('src');
    await page.addScriptTag({ url: address ?? '' });
    assert.equal(await launcher.isVisible(), true);
  });
});

suite('looks', () => {
  const styleOf = (element: Element) => {
    const { backgroundColor, color, animationName, transitionDuration } = getComputedStyle(element);
    return { backgroundColor, color, animationName, transitionDuration };
  };

  test('light and dark follow the visitor’s system', async (t) => {
    for (const [colorScheme, paper] of [
      ['light', 'rgb(255, 255, 255)'],
      ['dark', 'rgb(27, 30, 36)'],
    ] as const) {
      const { visitor, panel } = await arrive(t, { colorScheme });
      await visitor.readPanel();
      assert.equal((await panel.evaluate(styleOf)).backgroundColor, paper);
    }
  });

  test('nothing moves for those who asked for that', async (t) => {
    for (const [reducedMotion, isStill] of [
      ['reduce', true],
      ['no-preference', false],
    ] as const) {
      const { visitor, launcher, panel } = await arrive(t, { reducedMotion });
      await visitor.readPanel();
      assert.equal((await panel.evaluate(styleOf)).animationName === 'none', isStill);
      assert.equal((await launcher.evaluate(styleOf)).transitionDuration === '0s', isStill);
    }
  });

  test('on a phone the panel takes the width, the rest of the page can still be touched, and nothing scrolls sideways', async (t) => {
    const viewport = { width: 360, height: 640 };
    const { visitor, page, panel, launcher } = await arrive(t, {
      viewport,
      isMobile: true,
      hasTouch: true,
      body: '<button style="position:fixed;left:8px;bottom:8px" onclick="this.textContent=`touched`">Buy</button>',
    });
    await page.getByText('Buy').tap();
    await page.getByText('touched').waitFor();
    await visitor.readPanel();
    const [box, button] = [await panel.boundingBox(), await launcher.boundingBox()];
    assert.ok(box && button);
    assert.ok(box.x >= 0 && box.width >= 320 && box.x + box.width <= viewport.width);
    assert.ok(button.width >= 44 && button.height >= 44, 'large enough for a finger');
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
  });

  test('on a low window the panel scrolls and keeps its close button in view', async (t) => {
    const { visitor, page, panel } = await arrive(t, {
      viewport: { width: 500, height: 260 },
      name: 'Jane '.repeat(40).trim(),
    });
    await visitor.readPanel();
    const box = await panel.boundingBox();
    assert.ok(box !== null && box.y >= 0, JSON.stringify(box));
    await page.getByRole('button', { name: 'Close' }).click();
  });

  test('a bot on the left is on the left', async (t) => {
    const bot = await addBot(world, { position: 'left' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.readPanel();
    for (const part of [visitor.page.locator('chat-widget .launcher'), visitor.page.getByRole('dialog')]) {
      assert.equal((await part.boundingBox())?.x, 20);
    }
  });
});
