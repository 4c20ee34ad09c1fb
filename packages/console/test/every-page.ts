// Every page of the console behind the sign-in, with data that fills it and is hard to lay out.
import type { Account, ConsoleWorld } from './console-world.ts';

export interface EveryPage {
  /** Of the first bot. */
  bot: string;
  contact: { id: string; name: string };
  webhookId: string;
  /** Each with its title. */
  places: (readonly [place: string, title: string])[];
}

export async function prepareEveryPage(world: ConsoleWorld, account: Account): Promise<EveryPage> {
  const { json } = await world.callBot('PUT', 'contacts', {
    name: 'A very long name without any space: '.concat('x'.repeat(200)),
    email: `${'long'.repeat(40)}@example.com`,
    phone: '+1 555 0100',
  });
  const contact = json.data as EveryPage['contact'];
  await world.callBot('POST', 'auth/contact', { id: contact.id });
  await world.callBot('PUT', 'attributes/plan', { type: 'text', label: 'Plan', description: 'What they pay for' });
  await world.callBot('PATCH', `contacts/${contact.id}`, { attributes: { plan: 'x'.repeat(300) }, tags: ['vip'] });
  const filter = { attributes: { plan: { exists: true } } };
  await world.callBot('PUT', 'segments/payers', { label: 'Payers', filter });
  const bot = `/bots/${world.botId}`;
  const { data } = await world.callAccount(account, 'POST', `${bot.slice(1)}/webhooks`, {
    url: `https://receiver.invalid/${'long'.repeat(100)}`,
    description: 'x'.repeat(200),
  });
  const { id: webhookId } = data as { id: string };
  await world.callBot('PATCH', `contacts/${contact.id}`, { phone: '+1 555 0101' });
  return {
    bot,
    contact,
    webhookId,
    places: [
      ['/', 'Home'],
      ['/bots', 'Bots'],
      [`${bot}/settings`, 'My bot'],
      [`${bot}/contacts`, 'My bot'],
      [`${bot}/contacts/${contact.id}`, contact.name],
      [`${bot}/activity`, 'Activity'],
      [`${bot}/attributes`, 'Attributes and tags'],
      [`${bot}/import`, 'Import contacts'],
      [`${bot}/webhooks`, 'Webhooks'],
      [`${bot}/webhooks/${webhookId}`, 'receiver.invalid'],
      ['/secrets', 'Secrets'],
      ['/members', 'Members'],
      ['/tasks', 'Imports and bulk actions'],
      ['/audit', 'Audit log'],
      ['/account', 'Your account'],
      ['/nowhere', 'Page not found'],
    ],
  };
}
