// Pages that were written for the service whose API this is: they load `/widget.mjs` and dispatch events on
// `<chat-widget>`, and get what pages get that call `window.Roster`.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addBot, addContact, pageOf, scriptTag, startWorld, Visitor } from './site.ts';

const world = await startWorld();
const { service } = world;

/** As such a page does it. */
function dispatch({ page }: Visitor, type: string, detail?: unknown): Promise<void> {
  return page.evaluate(
    ([type, detail]) => {
      const element = document.querySelector('chat-widget');
      if (element === null) throw new Error('there is no chat-widget');
      element.dispatchEvent(new CustomEvent(type as string, { detail }));
    },
    [type, detail] as const,
  );
}

const parts = ({ page }: Visitor) => {
  const launcher = page.locator('chat-widget .launcher');
  const panel = page.getByRole('dialog');
  return { launcher, panel, state: async () => [await launcher.isVisible(), await panel.isVisible()] };
};

for (const kind of ['', 'async', 'defer', 'type="module"']) {
  test(`a page that loads /widget.mjs by a tag ${kind || 'without attributes'} and dispatches the seven events has a whole widget`, async (t) => {
    const bot = await addBot(world, { channels: [{ type: 'whatsapp', value: '+15550100123', label: '' }] });
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    const tag = `<script ${kind} src="${service.url}/widget.mjs?bot=${bot.id}"></script>`;
    await visitor.visit(world, pageOf(tag));
    await visitor.receives('ready');
    const { panel, state } = parts(visitor);
    assert.deepEqual(await state(), [true, false]);

    await dispatch(visitor, 'ChatnessWidgetOpen');
    assert.deepEqual(await state(), [true, true]);
    await dispatch(visitor, 'ChatnessWidgetClose');
    assert.deepEqual(await state(), [true, false]);
    await dispatch(visitor, 'ChatnessWidgetHide');
    assert.deepEqual(await state(), [false, false]);
    await dispatch(visitor, 'ChatnessWidgetShow');
    assert.deepEqual(await state(), [true, false]);

    await dispatch(visitor, 'ChatnessWidgetMessage', { text: 'Is it in stock?', prefill: true });
    assert.deepEqual(await state(), [true, true]);
    const link = panel.getByRole('link', { name: 'WhatsApp' });
    assert.equal(await link.getAttribute('href'), 'https://wa.me/15550100123?text=Is%20it%20in%20stock%3F');

    await dispatch(visitor, 'ChatnessAuthContactsLogin', { token: jane.token });
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane Doe');
    await dispatch(visitor, 'ChatnessAuthContactsLogout');
    await visitor.receives('ready', 'login', 'logout');
    await visitor.seesGuest();
    assert.deepEqual(await visitor.storage(), {});
    assert.deepEqual(visitor.pageErrors, []);
  });
}

suite('the element', () => {
  test('is there before the service has answered, and what is dispatched on it then is not lost', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    const settings = Promise.withResolvers<void>();
    await visitor.page.route('**/widget', async (route) => {
      await settings.promise;
      await route.continue();
    });
    const tag = scriptTag(world, bot).replace(' async', '');
    const body = `<main>A shop</main>${tag}<script>
      window.atOnce = document.querySelectorAll('chat-widget').length;
      const element = document.querySelector('chat-widget');
      element.dispatchEvent(new CustomEvent('ChatnessAuthContactsLogin', { detail: { token: '${jane.token}' } }));
      element.dispatchEvent(new CustomEvent('ChatnessWidgetOpen'));
      element.dispatchEvent(new CustomEvent('ChatnessWidgetHide'));
      element.dispatchEvent(new CustomEvent('ChatnessWidgetMessage', { detail: { text: 'Hi' } }));
    </script>`;
    await visitor.visit(world, pageOf('', body));
    assert.equal(await visitor.page.evaluate('window.atOnce'), 1);
    assert.deepEqual(await visitor.events(), []);
    settings.resolve();
    await visitor.receives('ready', 'login');
    assert.deepEqual(await parts(visitor).state(), [false, true]);
    assert.equal(await visitor.page.locator('chat-widget').count(), 1);
  });

  test('is there for the body’s first script when the tag is in the head, and goes to the end of the body', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    const tag = `<script src="${service.url}/widget.mjs?bot=${bot.id}"></script>`;
    const early = `<script>document.querySelector('chat-widget').dispatchEvent(new CustomEvent('ChatnessWidgetOpen'))</script>`;
    await visitor.visit(world, pageOf(tag, `${early}<main>A shop</main>`));
    await visitor.receives('ready');
    assert.deepEqual(await parts(visitor).state(), [true, true]);
    const children = () => Array.from(document.body.children, ({ tagName }) => tagName.toLowerCase());
    assert.deepEqual(await visitor.page.evaluate(children), ['script', 'main', 'chat-widget']);
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('is there for a script of the head too, and a login that this sends straight after the SDK’s attach() is not lost', async (t) => {
    const bot = await addBot(world);
    const jane = await addContact(world, bot, { name: 'Jane Doe' });
    const visitor = await Visitor.arrive(t, world);
    // The SDK's attach() adds no second script where one has this id, and its login is an event if it finds the element.
    const tag = `<script id="chatness" src="${service.url}/widget.mjs?bot=${bot.id}"></script>`;
    const login = `<script>
      window.hasBody = document.body !== null;
      document.querySelector('chat-widget')?.dispatchEvent(
        new CustomEvent('ChatnessAuthContactsLogin', { detail: { token: '${jane.token}' } }),
      );
    </script>`;
    await visitor.visit(world, pageOf(tag + login, '<main>A shop</main>'));
    assert.equal(await visitor.page.evaluate('window.hasBody'), false);
    await visitor.receives('ready', 'login');
    await visitor.sees('Jane Doe');
    assert.equal(await visitor.page.locator('chat-widget').count(), 1);
    assert.equal(await visitor.page.locator('main + chat-widget').count(), 1, 'it is in the body, behind its content');
    assert.deepEqual(visitor.pageErrors, []);
  });

  for (const [where, html] of [
    ['before the script', (tag: string) => pageOf('', `<p><chat-widget></chat-widget></p>${tag}`)],
    ['after the script', (tag: string) => pageOf(tag, '<p><chat-widget></chat-widget></p>')],
  ] as const) {
    test(`of the page itself, ${where}, is used`, async (t) => {
      const bot = await addBot(world);
      const visitor = await Visitor.arrive(t, world);
      await visitor.visit(world, html(scriptTag(world, bot).replace(' async', '')));
      await visitor.receives('ready');
      assert.equal(await visitor.page.locator('chat-widget').count(), 1);
      assert.equal(await visitor.page.locator('p > chat-widget .launcher').isVisible(), true);
      await dispatch(visitor, 'ChatnessWidgetOpen');
      assert.deepEqual(await parts(visitor).state(), [true, true]);
    });
  }

  test('takes anything that a page dispatches, and nothing of it is an error of the page', async (t) => {
    const bot = await addBot(world);
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('ready');
    const details = [undefined, null, 5, 'text', [], {}, { token: 5, text: 5 }, { token: 'nonsense', text: { a: 1 } }];
    for (const detail of details) {
      await dispatch(visitor, 'ChatnessWidgetMessage', detail);
      await dispatch(visitor, 'ChatnessAuthContactsLogin', detail);
    }
    await visitor.receives('ready', ...details.map(() => 'error'));
    await dispatch(visitor, 'ChatnessAuthContactsLogin', { token: `c:${'x'.repeat(43)}` });
    await visitor.receives('ready', ...details.map(() => 'error'), 'expired');
    await visitor.seesGuest();
    assert.deepEqual(visitor.pageErrors, []);
  });

  test('stays, empty, where there can be no widget, so that a page may go on dispatching on it', async (t) => {
    const bot = await addBot(world, { allowedOrigins: ['https://shop.example'] });
    const visitor = await Visitor.arrive(t, world);
    await visitor.visit(world, pageOf(scriptTag(world, bot)));
    await visitor.receives('error');
    for (const type of ['ChatnessWidgetOpen', 'ChatnessWidgetMessage', 'ChatnessAuthContactsLogout']) {
      await dispatch(visitor, type);
    }
    assert.equal(await visitor.page.getByRole('dialog').count(), 0);
    assert.deepEqual(visitor.pageErrors, []);
  });
});

test('two modules with a token each: the later token is used', async (t) => {
  const bot = await addBot(world);
  const [jane, joe] = [await addContact(world, bot, { name: 'Jane' }), await addContact(world, bot, { name: 'Joe' })];
  const visitor = await Visitor.arrive(t, world);
  const tag = (token: string) =>
    `<script type="module" src="${service.url}/widget.mjs?bot=${bot.id}&token=${token}"></script>`;
  // Jane is not known before the second module has run.
  const release = await visitor.holdIdentification(jane.token);
  await visitor.visit(world, pageOf(tag(jane.token) + tag(joe.token)));
  await visitor.receives('ready', 'login');
  await visitor.sees('Joe');
  release();
  assert.ok(!(await visitor.page.content()).includes(jane.token));
});
