// The host page is as it was: its globals, events and styles, but for `window.Roster` and one element.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addBot, addContact, pageOf, scriptTag, startWorld, Visitor } from './site.ts';

const world = await startWorld();

const shop = `
  <style>
    body { font: 16px serif; color: rgb(10, 20, 30); }
    button, h2, section, header, footer, .launcher, #panel { border: 3px dashed red; padding: 7px; color: rgb(1, 2, 3); }
  </style>
  <header>Shop</header><section id="panel"><h2>Offers</h2><button class="launcher">Buy</button></section><footer>End</footer>`;

/** Everything about the page that a script could have changed. Runs in the page. */
function inspectPage() {
  const builtIns = [
    Object,
    Array,
    Function,
    String,
    Promise,
    Map,
    Event,
    EventTarget,
    Node,
    Element,
    HTMLElement,
    Document,
    Window,
  ];
  const describe = (object: object) => Object.getOwnPropertyNames(object).sort().join();
  const styles = Array.from(document.querySelectorAll('body > *:not(chat-widget), body > section *'), (element) => {
    const style = getComputedStyle(element);
    const { x, y, width, height } = element.getBoundingClientRect();
    return [element.tagName, x, y, width, height, ...Array.from(style, (name) => style.getPropertyValue(name))].join();
  });
  const handlers = [window, document, document.documentElement, document.body].flatMap((target) => {
    const names: string[] = [];
    for (const name in target) {
      if (name.startsWith('on') && (target as unknown as Record<string, unknown>)[name] !== null) names.push(name);
    }
    return names;
  });
  return {
    globals: Object.getOwnPropertyNames(window)
      .filter((name) => !/^\d+$/.test(name))
      .sort(),
    prototypes: builtIns.map((each) => `${describe(each)} ${describe(each.prototype)}`),
    natives: [fetch, setTimeout, addEventListener, JSON.stringify, history.pushState].map(String),
    handlers,
    styles,
    sheets: [document.styleSheets.length, document.adoptedStyleSheets.length],
    head: document.head.children.length,
    body: Array.from(document.body.children, ({ tagName }) => tagName.toLowerCase()),
    attributes: [document.documentElement, document.body].map((element) => element.getAttributeNames()),
    layout: [document.documentElement.scrollWidth, document.documentElement.scrollHeight],
    other: [document.title, location.href, history.length, document.cookie, sessionStorage.length, window.name],
    focus: document.activeElement?.tagName,
  };
}

suite('the host page', () => {
  test('has one global more, window.Roster, and one element more; all else is the same', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf('<script async src="/none.js"></script>', shop));
    const before = await visitor.page.evaluate(inspectPage);
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token), shop));
    await visitor.receives('ready', 'login');
    const after = await visitor.page.evaluate(inspectPage);
    assert.deepEqual(
      after.globals.filter((name) => !before.globals.includes(name)),
      ['Roster'],
    );
    assert.deepEqual(after.body, [...before.body, 'chat-widget']);
    assert.deepEqual({ ...after, globals: [], body: [], other: [] }, { ...before, globals: [], body: [], other: [] });
    // Going to a second page is a step in the history.
    assert.deepEqual(after.other.toSpliced(2, 1), before.other.toSpliced(2, 1));
    assert.deepEqual(Object.keys(await visitor.storage()), [`roster:${bot.id}`]);
  });

  test('has no listener of the widget’s but for its storage, and gets no event of the widget’s but roster:…', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    await visitor.context.addInitScript(() => {
      const [listened, dispatched] = [[], []] as [string[], string[]];
      Object.assign(window, { listened, dispatched });
      const { addEventListener: add, dispatchEvent: dispatch } = EventTarget.prototype;
      EventTarget.prototype.addEventListener = function (type: string, ...rest: unknown[]) {
        const target = (this ?? window) as EventTarget;
        if (target === window || target === document || target === document.body) listened.push(type);
        Reflect.apply(add, target, [type, ...rest]);
      };
      EventTarget.prototype.dispatchEvent = function (event: Event) {
        dispatched.push(event.type);
        return Reflect.apply(dispatch, this, [event]);
      };
    });
    await visitor.visit(world, pageOf(scriptTag(world, bot, jane.token), shop));
    await visitor.sees('Jane Doe');
    await visitor.logout();
    const seen = await visitor.page.evaluate(() => {
      const { listened, dispatched } = window as unknown as { listened: string[]; dispatched: string[] };
      return { listened: listened.sort(), dispatched };
    });
    assert.deepEqual(seen, {
      listened: ['pageshow', 'storage'],
      dispatched: ['roster:ready', 'roster:login', 'roster:logout'],
    });
  });

  test('gets its own events as before, and only an Escape that closed the panel is kept from it', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    const record = `<script>
      window.got = [];
      for (const type of ['click', 'keydown', 'error', 'unhandledrejection', 'message']) {
        addEventListener(type, (event) => got.push(type + ' ' + (event.key ?? '') + event.defaultPrevented));
      }
    </script>`;
    await visitor.visit(world, pageOf(record + scriptTag(world, bot), shop));
    await visitor.receives('ready');
    const { page } = visitor;
    await page.getByRole('button', { name: 'Buy' }).click();
    await page.keyboard.press('Escape');
    await visitor.readPanel();
    await page.keyboard.press('a');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    const got = await page.evaluate(() => (window as unknown as { got: string[] }).got);
    assert.deepEqual(got, [
      'click false',
      'keydown Escapefalse',
      'click false',
      'keydown afalse',
      'keydown Escapefalse',
    ]);
  });

  test('cannot spoil the widget by its styles, not even by important ones for everything', async (t) => {
    const bot = await addBot(world, { color: '#0f766e' });
    const hostile = `<style>
      body * { display: none !important; visibility: hidden !important; opacity: 0 !important; transform: scale(0) !important; }
      chat-widget { position: absolute !important; left: -9999px !important; pointer-events: none !important; font-size: 90px !important; }
    </style>`;
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(hostile + scriptTag(world, bot)));
    await visitor.receives('ready');
    const launcher = visitor.page.locator('chat-widget .launcher');
    assert.equal(await launcher.isVisible(), true);
    assert.deepEqual(await launcher.boundingBox(), { x: 1280 - 76, y: 720 - 76, width: 56, height: 56 });
    await visitor.seesGuest();
  });

  test('may load the script before it has a body', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    const tag = scriptTag(world, bot).replace(' async', '');
    await visitor.visit(world, pageOf(`${tag}<script>window.hadBody = document.body !== null</script>`));
    await visitor.receives('ready');
    assert.equal(await visitor.page.evaluate(() => (window as unknown as { hadBody: boolean }).hadBody), false);
    await visitor.seesGuest();
  });

  test('may load the script as a module, or insert it by a script', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot).replace('async', 'type="module"')));
    await visitor.receives('ready');
    const insert = `<script>const script = document.createElement('script'); script.src = '${world.service.url}/widget.js?bot=${bot.id}'; document.head.append(script);</script>`;
    await visitor.visit(world, pageOf(insert));
    await visitor.receives('ready');
  });
});
