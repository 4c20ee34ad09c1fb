// The attributes and tags that only one writer of the feed test uses, and the changes of them that concern all contacts.
import type { Roster } from '@roster/client';
import type { Random } from '../../packages/server/test/conformance/random.ts';
import { attempt, unlessMissing } from './attempt.ts';
import type { Ledger } from './ledger.ts';
import { describeEvent, type OwnContact } from './own-contact.ts';

const attributesCount = 2;
const tagsCount = 3;
/** To define an attribute makes no event, and may be repeated. */
const patiently = { maxRetries: Number.MAX_SAFE_INTEGER };

interface OwnFieldsSettings {
  roster: Roster;
  ledger: Ledger;
  random: Random;
  /** Fits for the key of an attribute. */
  unique(): string;
}

export class OwnFields {
  attributes: string[] = [];
  tags: string[];
  readonly #settings: OwnFieldsSettings;
  /** Attributes and tags about which nothing is certain any more. None of them is used again. */
  readonly #uncertain = new Set<string>();

  constructor(settings: OwnFieldsSettings) {
    this.#settings = settings;
    this.tags = Array.from({ length: tagsCount }, settings.unique);
  }

  async prepare(): Promise<void> {
    while (this.attributes.length < attributesCount) await this.#define(this.#settings.unique());
  }

  isCertain(field: string): boolean {
    return !this.#uncertain.has(field);
  }

  /** The key is defined again at once. */
  async deleteAttribute(contacts: readonly OwnContact[]): Promise<void> {
    const { random, roster, unique } = this.#settings;
    const key = random.pick(this.attributes);
    this.attributes = this.attributes.filter((other) => other !== key);
    for (const { attributes } of contacts) attributes.delete(key);
    const event = describeEvent({ type: 'attribute.deleted', fields: [`attributes.${key}`] });
    const outcome = await this.#request(event, [key], () => roster.attributes.delete(key));
    if (outcome === 'missing') throw new Error(`the attribute ${key} was not there to be deleted`);
    await this.#define(outcome === 'done' ? key : unique());
  }

  async renameTag(contacts: readonly OwnContact[]): Promise<void> {
    const { roster, unique } = this.#settings;
    const to = unique();
    const rename = (tag: string) => roster.tags.rename(tag, { name: to });
    for (const { tags } of await this.#changeTag('tag.renamed', contacts, rename, to)) tags.add(to);
  }

  async deleteTag(contacts: readonly OwnContact[]): Promise<void> {
    await this.#changeTag('tag.deleted', contacts, (tag) => this.#settings.roster.tags.delete(tag));
  }

  /** Takes a tag from all contacts, and puts another in its place among those that are used. Returns the contacts that had it. */
  async #changeTag(
    type: string,
    contacts: readonly OwnContact[],
    change: (tag: string) => Promise<unknown>,
    to?: string,
  ): Promise<OwnContact[]> {
    const { random, unique } = this.#settings;
    const tag = random.pick(this.tags);
    const changed = to === undefined ? [tag] : [tag, to];
    const event = describeEvent({ type, fields: ['tags'] });
    const outcome = await this.#request(event, changed, () => change(tag));
    const had = contacts.filter(({ tags }) => tags.delete(tag));
    if (outcome === 'missing' && had.length > 0) throw new Error(`the tag ${tag} was not there`);
    this.tags[this.tags.indexOf(tag)] = outcome === 'done' && to !== undefined ? to : unique();
    return had;
  }

  /** A tag is missing when no contact has it. */
  async #request(event: string, fields: readonly string[], send: () => Promise<unknown>) {
    const { ledger } = this.#settings;
    const outcome = await attempt(() => unlessMissing(send()));
    if (typeof outcome === 'string') {
      if (outcome === 'uncertain') ledger.noteOfAll(event, { isCertain: false });
      for (const field of fields) this.#uncertain.add(field);
      return 'uncertain';
    }
    if (outcome.answer === 'missing') return 'missing';
    ledger.noteOfAll(event, { isCertain: true });
    return 'done';
  }

  async #define(key: string): Promise<void> {
    await this.#settings.roster.attributes.define(key, { type: 'text', label: key }, patiently);
    this.attributes.push(key);
  }
}
