// A server that cannot be reached, or that has no such thing: the page says so, offers nothing that cannot work, and
// continues by itself when the server is back.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { makeId } from '../../server/src/contacts/ids.ts';
import { ConsoleWorld, Person, wholeFile } from './console-world.ts';

const world = await ConsoleWorld.start();
const account = await world.setUp();
const ada = await Person.arrive(wholeFile, world, { account });
const list = `/bots/${world.botId}/contacts`;
await world.callBot('PUT', 'contacts', { name: 'Jane Doe', email: 'jane@example.com' });

const cut = () => ada.page.route('**/v1/**', (route) => route.abort());
const restore = () => ada.page.unroute('**/v1/**');

suite('an outage', () => {
  test('a search that fails says so, and is shown when the server is back, without a click', async () => {
    await ada.goTo(list);
    await ada.page.getByRole('link', { name: 'Jane Doe' }).waitFor();
    await cut();
    await ada.page.getByLabel('Search contacts').fill('jane');
    // In one look, because the page searches again every few seconds, and says so.
    const saysOnlySo = () => {
      const { innerText } = document.body;
      return innerText.includes('Can’t reach the server') && !/Searching|New contact/.test(innerText);
    };
    await ada.page.waitForFunction(saysOnlySo, undefined, { polling: 100 });
    await restore();
    await ada.page.getByText('1 match', { exact: true }).waitFor();
    await ada.page.getByRole('alert').first().waitFor({ state: 'detached' });
    await ada.page.getByRole('button', { name: 'New contact' }).waitFor();
  });

  test('a page that was opened meanwhile comes when the server is back', async () => {
    await ada.goTo(list);
    await ada.page.getByRole('link', { name: 'Jane Doe' }).waitFor();
    await cut();
    await ada.page.getByRole('link', { name: 'Members' }).click();
    await ada.page.getByText('Can’t reach the server').first().waitFor();
    await restore();
    await ada.page.getByText('ada@example.com').waitFor();
    await ada.page.getByRole('alert').first().waitFor({ state: 'detached' });
  });

  test('the banner of a browser without a network leaves the menu on the screen', async () => {
    await ada.page.setViewportSize({ width: 1280, height: 640 });
    await ada.goTo('/members');
    await ada.sees('Members');
    const menu = ada.page.getByRole('button', { name: 'Ada Owner Owner' });
    await ada.context.setOffline(true);
    await ada.page.getByText('You’re offline.').waitFor();
    const box = await menu.boundingBox();
    assert.ok(box !== null && box.y + box.height <= 640, JSON.stringify(box));
    await ada.context.setOffline(false);
    await ada.page.getByText('You’re offline.').waitFor({ state: 'detached' });
  });
});

suite('a bot that does not exist', () => {
  const botId = makeId('bot', 1);

  test('has no contacts to search, and none can be added', async () => {
    await ada.goTo(`/bots/${botId}/contacts`);
    await ada.page.getByRole('alert').waitFor();
    assert.equal(await ada.page.getByText('Searching').count(), 0);
    assert.equal(await ada.page.getByRole('button', { name: /New contact|Import/ }).count(), 0);
  });

  test('has a page of settings with a heading, the error and the way back', async () => {
    await ada.goTo(`/bots/${botId}/settings`);
    await ada.page.getByRole('alert').waitFor();
    await ada.page.getByRole('heading', { level: 1, name: 'Bot', exact: true }).waitFor();
    await ada.page.getByRole('link', { name: 'Bots', exact: true }).first().waitFor();
    assert.equal(await ada.page.getByRole('link', { name: 'Contacts', exact: true }).count(), 0);
  });
});
