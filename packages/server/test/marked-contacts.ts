// Contacts whose data occurs nowhere else, and is found again wherever it is left.
import assert from 'node:assert/strict';
import { toTag } from '../src/contacts/values.ts';
import type { ContactFields } from '../src/store/store.ts';
import { define } from './conformance/attributes.ts';
import type { TestBot } from './conformance/engine.ts';
import { sampleContext, sampleFields, sampleToken } from './sample.ts';

/** Ten letters of its name, email and so on, and the ten digits of its phone number. */
export function marksOf(number: number): [word: string, digits: string] {
  const digits = String(8_000_000_000 + number * 7919);
  const word = Array.from(digits, (digit) => 'bcdfghjklm'[Number(digit)]).join('');
  return [word, digits];
}

/** `plan` is the number of an attribute. */
export function markedFields(number: number, plan: number): ContactFields {
  const [word, digits] = marksOf(number);
  return sampleFields({
    name: `Zoë ${word.toUpperCase()}`,
    email: `${word}@example.com`,
    phone: `+${digits}`,
    mid: `mid-${word}`,
    attributes: { [plan]: `plan ${word}` },
    tags: { set: [toTag('vip')] },
  });
}

/** The contacts 0 to `count` - 1. */
export async function addMarked(bot: TestBot, count: number): Promise<{ plan: number; ids: string[] }> {
  const plan = await define(bot, 'plan');
  const items = Array.from({ length: count }, (_, number) => markedFields(number, plan));
  const outcome = await bot.store.upsertContacts(bot.botId, items, sampleContext());
  assert.ok(outcome.kind === 'upserted');
  return { plan, ids: outcome.ids };
}

/** Looks for some contacts, gives them tokens, and deletes them in every way, or gives them other data. Returns their numbers. */
export async function eraseSome(bot: TestBot, count: number, { plan, ids }: { plan: number; ids: string[] }) {
  const { store, botId } = bot;
  const idOf = (number: number) => ids[number] as string;
  const deleted = [5, 50, 250, 251, 252, count - 1];
  const deletedTogether = [100, 300, 500];
  const changed = [7, 77, 477];
  const gone = [...deleted, ...deletedTogether, ...changed];
  for (const number of gone) {
    assert.equal((await bot.search(marksOf(number)[0])).total, 1);
    assert.equal((await bot.search(marksOf(number)[1])).total, 1);
    await store.createContactToken(botId, idOf(number), sampleToken(), undefined, sampleContext());
  }
  for (const number of deleted) await store.deleteContact(botId, idOf(number), sampleContext());
  await store.deleteContacts(botId, deletedTogether.map(idOf), sampleContext());
  for (const number of changed) {
    const { tags: _, ...changes } = markedFields(count + number, plan);
    await store.updateContact(botId, idOf(number), changes, sampleContext());
  }
  return gone;
}

export function marksIn(text: string, numbers: readonly number[]): string[] {
  const lowered = text.toLowerCase();
  return numbers.flatMap(marksOf).filter((mark) => lowered.includes(mark));
}
