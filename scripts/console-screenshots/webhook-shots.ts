// The screenshots of webhooks, with receivers that accept messages, that fail, and that are gone.
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { EventType, Webhook } from '@roster/contract';
import type { Account, ConsoleWorld, Person } from '../../packages/console/test/console-world.ts';
import { until } from '../../packages/server/test/process/waiting.ts';
import { startReceiver } from '../../packages/server/test/receiver.ts';
import { chooseFrom, openBy, openMenu, press } from './actions.ts';
import { everything, type Shot } from './shots.ts';

interface Webhooks {
  /** Accepts messages. */
  crm: Webhook;
  /** Has failed so far. */
  newsletter: Webhook;
  /** Responds with 410. */
  gone: Webhook;
  off: Webhook;
}

const say = (status: number, text: string) => (_: unknown, response: ServerResponse) => {
  response.writeHead(status).end(text);
  return undefined;
};

export async function fillWebhooks(
  t: Pick<TestContext, 'after'>,
  world: ConsoleWorld,
  owner: Account,
): Promise<Webhooks> {
  const path = `bots/${world.botId}/webhooks`;
  const make = async (url: string, description: string, types: EventType[] | null) =>
    (await world.callAccount(owner, 'POST', path, { url, description, types })).data as Webhook;
  const read = async ({ id }: Webhook) => (await world.callAccount(owner, 'GET', `${path}/${id}`)).data as Webhook;
  const crm = await startReceiver(t, say(200, '{"ok":true}'));
  const newsletter = await startReceiver(
    t,
    say(503, '{"error":"Our database is being upgraded. Try again in an hour."}'),
  );
  const gone = await startReceiver(t, () => 410);
  const webhooks = {
    crm: await make(`${crm.url}/crm`, 'CRM', null),
    newsletter: await make(`${newsletter.url}/newsletter`, 'Newsletter', ['contact.created', 'contact.deleted']),
    gone: await make(`${gone.url}/events?source=roster&customer=harbour-books`, '', null),
    off: await make('https://functions.example.com/hooks/8f14e45fceea167a5a36dedd4bea2543', 'Staging', ['tag.renamed']),
  };
  await world.callAccount(owner, 'PATCH', `${path}/${webhooks.off.id}`, { isEnabled: false });
  for (const name of ['Ines Duarte', 'Milan Novak', 'Sofia Rossi']) {
    const email = `${name.toLowerCase().replace(' ', '.')}@example.com`;
    await world.callBot('PUT', 'contacts', { name, email });
  }
  await until('the deliveries', () => crm.received.length >= 3 && newsletter.received.length >= 3);
  await until('the receiver that is gone', async () => !(await read(webhooks.gone)).isEnabled);
  return webhooks;
}

export function shotsOfWebhooks(botId: string, { crm, newsletter, gone, off }: Webhooks): Shot[] {
  const list = { route: `/bots/${botId}/webhooks`, title: 'Webhooks' };
  const pageOf = ({ id, url }: Webhook) => ({ route: `${list.route}/${id}`, title: new URL(url).host });
  return [
    { name: 'webhooks', ...list },
    { name: 'webhooks-empty', ...list, answers: { path: /\/webhooks$/, how: 'empty' } },
    { name: 'webhooks-loading', ...list, answers: { path: everything, how: 'never' } },
    { name: 'webhooks-failure', ...list, answers: { path: /\/webhooks$/, how: 'failure' } },
    { name: 'webhook-new', ...list, act: openBy('New webhook') },
    { name: 'webhook-invalid', ...list, height: 1150, act: sendInvalid },
    { name: 'webhook', ...pageOf(crm) },
    { name: 'webhook-failing', ...pageOf(newsletter) },
    { name: 'webhook-gone', ...pageOf(gone) },
    { name: 'webhook-off', ...pageOf(off) },
    { name: 'webhook-loading', ...pageOf(crm), title: 'Webhook', answers: { path: everything, how: 'never' } },
    { name: 'webhook-unknown', route: `${list.route}/whk_unknown`, title: 'Webhook' },
    { name: 'webhook-no-match', ...pageOf(crm), route: `${pageOf(crm).route}?status=failed` },
    { name: 'webhook-menu', ...pageOf(crm), act: openMenu('Actions') },
    { name: 'webhook-edit', ...pageOf(newsletter), height: 1150, act: openBy('Edit') },
    { name: 'webhook-switch-off', ...pageOf(crm), act: chooseFrom('Actions', 'Turn off…') },
    { name: 'webhook-delete', ...pageOf(crm), act: chooseFrom('Actions', 'Delete…') },
    { name: 'webhook-rotate', ...pageOf(crm), act: chooseFrom('Actions', 'Rotate secret…') },
    { name: 'webhook-secret', ...pageOf(crm), act: rotate },
    { name: 'webhook-replay', ...pageOf(crm), act: openBy('Replay…') },
    { name: 'webhook-test', ...pageOf(crm), act: sendTest },
    { name: 'webhook-test-failed', ...pageOf(newsletter), act: sendTest },
    { name: 'delivery', ...pageOf(crm), act: openBy('contact.created') },
    { name: 'delivery-failed', ...pageOf(newsletter), act: openBy('contact.created') },
  ];
}

/** For a member who may not decide where events are sent. */
export function shotsOfMember(botId: string, { crm }: Webhooks): Shot[] {
  const list = { route: `/bots/${botId}/webhooks`, title: 'Webhooks' };
  const webhook = { route: `${list.route}/${crm.id}`, title: new URL(crm.url).host };
  return [
    { name: 'member-webhooks', ...list },
    { name: 'member-webhook', ...webhook, isScreenOnly: true, act: openMenu('Actions') },
    { name: 'member-webhook-edit', ...webhook, act: openBy('Edit') },
  ];
}

async function sendInvalid(person: Person): Promise<void> {
  await openBy('New webhook')(person);
  const { page } = person;
  await page.getByLabel('URL').fill('shop.example.com');
  await page.getByLabel('Events').selectOption('Only the types I choose');
  await person.press('Create webhook');
  await page.getByText('Fix the highlighted fields').waitFor();
}

async function rotate(person: Person): Promise<void> {
  await chooseFrom('Actions', 'Rotate secret…')(person);
  await person.press('Rotate secret');
  await person.page.getByText('The webhook’s secret').waitFor();
}

async function sendTest(person: Person): Promise<void> {
  await press('Send test message')(person);
  await person.page.getByText(/^The receiver (accepted|didn’t accept) it$/).waitFor();
}
