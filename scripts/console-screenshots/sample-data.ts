// What the organization of the screenshots holds.
import { type Account, type ConsoleWorld, userAgents } from '../../packages/console/test/console-world.ts';
import { sampleContacts } from './sample-contacts.ts';

/** Fills the organization. Returns what routes need. */
export async function fill(world: ConsoleWorld, owner: Account): Promise<{ contactId: string; link: string }> {
  const { json } = await world.callBot('PATCH', 'contacts', { data: sampleContacts });
  const contactId = json.data[0].id;
  await fillValues(world);
  const { json: token } = await world.callBot('POST', 'auth/contact', { id: contactId });
  await world.callBot('POST', 'auth/contact', { id: contactId });
  await fetch(`${world.url}/v1/bots/${world.botId}/auth/contact`, {
    headers: { authorization: `Bearer ${token.token}` },
  });
  const settings = { name: 'Harbour Books', greeting: 'Ahoy! Looking for something to read?', color: '#1f6f8b' };
  await world.callAccount(owner, 'PATCH', `bots/${world.botId}`, settings);
  await makeEvents(world, owner, json.data);
  await world.callAccount(owner, 'POST', 'bots', { name: 'Wholesale', color: '#b4552d' });
  await world.callAccount(owner, 'POST', 'bots', { name: 'Careers', color: '#5a4fcf' });
  await world.callAccount(owner, 'POST', 'secrets', { name: 'Web shop' });
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  const permissions = ['contacts:write'];
  const bots = [world.botId];
  await world.callAccount(owner, 'POST', 'secrets', { name: 'Nightly import', expiresAt, permissions, bots });
  const { data: old } = await world.callAccount(owner, 'POST', 'secrets', { name: 'Old web shop' });
  await world.callAccount(owner, 'DELETE', `secrets/${(old as { id: string }).id}`);
  for (const userAgent of [userAgents.firefox, userAgents.safari]) await world.signIn(owner, userAgent);
  await world.invite(owner, 'member', 'Tomás Ferreira', 'tomas@example.com');
  await world.invite(owner, 'owner', 'Ngozi Okafor', 'ngozi@example.com');
  const { data } = await world.callAccount(owner, 'POST', 'invitations', {
    email: 'henrik@example.com',
    role: 'member',
  });
  return { contactId, link: new URL((data as { link: string }).link).hash.slice(1) };
}

/** Beside those of contacts that are created and of tokens: changes by the owner and by the operator's server. */
async function makeEvents(world: ConsoleWorld, owner: Account, contacts: readonly { id: string }[]): Promise<void> {
  const [first, second] = contacts;
  const path = `bots/${world.botId}/contacts`;
  await world.callAccount(owner, 'PATCH', `${path}/${first?.id}`, { phone: '+44 20 7946 0321', tags: ['book club'] });
  await world.callAccount(owner, 'PATCH', `${path}/${second?.id}`, { attributes: { plan: 'Gold', orders: 12 } });
  const { json } = await world.callBot('PUT', 'contacts', { name: 'Test', email: 'test@example.com' });
  await world.callAccount(owner, 'DELETE', `${path}/${json.data.id}`);
}

/** Attributes, tags and segments of the sample contacts. */
async function fillValues(world: ConsoleWorld): Promise<void> {
  await world.callBot('PUT', 'attributes/plan', { type: 'text', label: 'Plan', description: 'What they pay for' });
  await world.callBot('PUT', 'attributes/orders', { type: 'number', label: 'Orders' });
  await world.callBot('PUT', 'attributes/newsletter', { type: 'boolean', label: 'Newsletter' });
  await world.callBot('PUT', 'attributes/renews_on', { type: 'date', label: 'Renews on' });
  const genres = ['Crime', 'Poetry', 'Travel', 'Cookbooks'];
  await world.callBot('PUT', 'attributes/genre', { type: 'choice', label: 'Favorite genre', choices: genres });
  const data = sampleContacts.map(({ email }, at) => ({
    email,
    attributes: {
      genre: genres[at % genres.length],
      plan: ['Gold', 'Silver', 'Free'][at % 3],
      orders: (at * 7) % 23,
      ...(at % 2 === 0 && { newsletter: at % 4 === 0 }),
      ...(at % 3 !== 2 && { renews_on: `2027-0${(at % 8) + 1}-15` }),
    },
    tags: at % 4 === 3 ? [] : ['regular', ...(at % 5 === 0 ? ['book club'] : [])],
  }));
  await world.callBot('PATCH', 'contacts', { data });
  const gold = { attributes: { plan: ['Gold'] } };
  await world.callBot('PUT', 'segments/gold', { label: 'Gold members', filter: gold, sort: 'name' });
  const readers = { tag: ['book club'], attributes: { orders: { gte: 5 } } };
  await world.callBot('PUT', 'segments/keen_readers', { label: 'Keen readers', filter: readers });
}
