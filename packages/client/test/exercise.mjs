// Uses every feature of the client, on any runtime, and prints the results. package.test.ts compares them.
import {
  AbortError,
  ConnectionError,
  EmailTakenError,
  NotFoundError,
  Roster,
  TimeoutError,
  ValidationError,
  verifyWebhook,
  WebhookVerificationError,
} from '@roster/client';

const [secret, botId, baseUrl, deadUrl] = ['ROSTER_SECRET', 'ROSTER_BOT', 'ROSTER_URL', 'DEAD_URL'].map(
  (name) => globalThis.process.env[name],
);
const roster = new Roster({ secret, botId, baseUrl, retryDelayMs: 1 });
const contactToken = `c:${'x'.repeat(43)}`;
const secrets = [secret, contactToken, encodeURIComponent(contactToken)];
const unique = `${Date.now()}-${Math.random()}`;
const seen = {};

/** The first of these classes that the promise rejects with an instance of. */
async function rejection(promise, ...classes) {
  const error = await promise.then(
    () => undefined,
    (thrown) => thrown,
  );
  const shown = `${error?.stack} ${JSON.stringify(error)} ${error?.cause?.stack} ${error?.cause?.cause?.stack}`;
  if (secrets.some((secret) => shown.includes(secret))) throw new Error('a secret is in an error');
  return classes.find((Class) => error instanceof Class)?.name ?? shown;
}

const created = await roster.contacts.create({ name: 'Józef 😀', email: `${unique}@example.com` });
const { id } = created.data;
seen.create = created.status;
seen.retrieve = (await roster.contacts.retrieve(id)).data.name;
seen.update = (await roster.contacts.update(id, { phone: '1' })).data.phone;
seen.search = (await roster.contacts.search({ query: `jozef ${unique}` })).pagination.total;
seen.find = (await roster.contacts.find({ email: `${unique}@EXAMPLE.com` })).data?.id === id;
seen.filter = (
  await roster.contacts.search({ filter: { email: `${unique}@example.com`, createdAt: { lt: new Date(0) } } })
).data;
await roster.attributes.define('plan', { type: 'text', label: 'Plan' });
await roster.contacts.update(id, { attributes: { plan: unique }, addTags: [unique] });
const selection = { filter: { tag: [unique], attributes: { plan: [unique] } }, include: ['tags'] };
seen.tags = (await roster.contacts.search(selection)).data[0]?.tags[0] === unique;
seen.token = (await roster.auth.contacts.tokenize({ id })).data.token.slice(0, 2);
seen.taken = await rejection(roster.contacts.create({ name: 'J', email: `${unique}@example.com` }), EmailTakenError);
seen.invalid = await rejection(roster.contacts.create({ name: '', email: '' }), ValidationError);
seen.delete = (await roster.contacts.delete(id)).status;
seen.gone = await rejection(roster.contacts.retrieve(id), NotFoundError);
seen.oddId = await rejection(roster.contacts.retrieve('a/b?c#d%'), NotFoundError);

function* many() {
  for (let n = 0; n < 1200; n++) yield { name: `Many ${n}`, email: n === 7 ? 'bad' : `${n}-${unique}@example.com` };
}
seen.upsertAll = await roster.contacts.upsertAll(many());
seen.iterate = 0;
for await (const contact of roster.contacts.iterate({ query: unique })) if (contact.id) seen.iterate++;

const dead = roster.withOptions({ baseUrl: deadUrl, maxRetries: 1 });
seen.refused = await rejection(dead.auth.contacts.revoke({ contactToken }), ConnectionError);
seen.unknown = await rejection(roster.auth.contacts.revoke({ contactToken }), NotFoundError);
seen.aborted = await rejection(roster.contacts.search({}, { signal: AbortSignal.abort() }), AbortError);
const silent = roster.withOptions({ fetch: () => new Promise(() => {}), timeoutMs: 10, maxRetries: 0 });
seen.late = await rejection(silent.contacts.search(), TimeoutError);

const bytes = (text) => new TextEncoder().encode(text);
const key = crypto.getRandomValues(new Uint8Array(32));
const timestamp = String(Math.floor(Date.now() / 1000));
const message = JSON.stringify({ type: 'webhook.test', timestamp: '', data: { event: { id: 'é' }, contact: null } });
const hmac = { name: 'HMAC', hash: 'SHA-256' };
const signer = await crypto.subtle.importKey('raw', key, hmac, false, ['sign']);
const signature = await crypto.subtle.sign('HMAC', signer, bytes(`evt_1.${timestamp}.${message}`));
const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));
const headers = new Headers({
  'webhook-id': 'evt_1',
  'webhook-timestamp': timestamp,
  'webhook-signature': `v1,${base64(signature)}`,
});
const webhookSecret = `whsec_${base64(key)}`;
secrets.push(webhookSecret);
seen.verified = (await verifyWebhook(bytes(message), headers, webhookSecret)).data.event.id;
seen.forged = await rejection(verifyWebhook(`${message} `, headers, webhookSecret), WebhookVerificationError);
seen.hidden = !JSON.stringify(roster).includes(secret);
console.log(JSON.stringify(seen));
