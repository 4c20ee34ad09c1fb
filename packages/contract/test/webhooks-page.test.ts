// The examples and limits of docs/webhooks.md, held against the contract.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { limits, operations, webhookCreateSchema, webhookMessageSchema } from '../src/index.ts';

const page = readFileSync(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8');
/** The page shortens ids. */
const whole = (text: string) => text.replaceAll(/\b(evt|con|whk|mem)_…/g, '$1_a6f3k4u2b1z5m0q7c9d2x4h8e1r6t3w0y5');
const examples = Array.from(page.matchAll(/^```json\n(.*?)^```$/gms), ([, text = '']) => JSON.parse(whole(text)));
const schemas = [
  operations.createWebhook.answer.schema,
  webhookMessageSchema,
  operations.listDeliveries.answer.schema,
  operations.testWebhook.answer.schema,
];

suite('docs/webhooks.md', () => {
  test('shows requests, responses and a message as the contract has them', () => {
    assert.equal(examples.length, schemas.length);
    for (const [at, schema] of schemas.entries()) assert.deepEqual(schema.parse(examples[at]), examples[at]);
    const body = JSON.parse(/-d '(\{"url".*?\})'/.exec(page)?.[1] ?? '');
    assert.deepEqual(webhookCreateSchema.parse(body), body);
  });

  test('shows the limits of the contract', () => {
    const rows: [what: string, limit: string][] = [
      ['webhooks of a bot', `${limits.webhooksPerBot}; one more is`],
      ['`url`', `${limits.webhookUrlLength} characters`],
      ['`description`', `${limits.webhookDescriptionLength} characters`],
      ['characters of a response that are kept', String(limits.webhookResponseLength)],
      ['deliveries on a page', `${limits.deliveryPageSizeMax}, and ${limits.deliveryPageSizeDefault} by default`],
      ['deliveries are kept', `${limits.deliveryDays} days`],
      ['an old secret signs along', `${limits.rotatedSecretMs / 3_600_000} hours`],
    ];
    const section = /^## Limits$(.*?)^## /ms.exec(page)?.[1] ?? '';
    for (const [what, limit] of rows) assert.ok(section.includes(`\n| ${what} | ${limit}`), what);
  });
});
