// Contacts as answers carry them: eight members, and those that `include` asks for.
import type { Contact, ContactInclude, IncludingContact } from '@roster/contract';
import { nameAttributes } from '../contacts/values.ts';
import type { Store } from '../store/store.ts';
import type { ContactValues } from '../store/values/attribute-store.ts';
import { toTimestampOrNull } from './answers.ts';

export function wantsValues(include: readonly ContactInclude[]): boolean {
  return include.includes('attributes') || include.includes('tags');
}

export function prepareAnswers({ store }: { store: Store }) {
  /**
   * The definitions are read after the contacts: attributes deleted meanwhile are left out, and none of the contacts has
   * values of attributes defined meanwhile.
   */
  const attributesOf = async (botId: string, values: readonly ContactValues[]) => {
    const definitions = await store.listAttributes(botId);
    return values.map(({ attributes }) => nameAttributes(attributes, definitions));
  };

  const tagsOf = async (botId: string, values: readonly ContactValues[]) => {
    const numbers = [...new Set(values.flatMap(({ tags }) => tags))];
    const tags = numbers.length === 0 ? [] : await store.listTags(botId, numbers);
    // The store lists tags in the order of answers.
    const ranks = new Map(tags.map(({ number }, rank) => [number, rank]));
    const namesOf = (own: readonly number[]) => {
      const ranksOf = own.map((number) => ranks.get(number)).filter((rank) => rank !== undefined);
      return ranksOf.sort((one, other) => one - other).map((rank) => tags[rank]?.name ?? '');
    };
    return values.map((each) => namesOf(each.tags));
  };

  const lastSeenOf = async (botId: string, contacts: readonly Contact[]) => {
    const ids = contacts.map(({ id }) => id);
    return (await store.findLastSeen(botId, ids)).map(toTimestampOrNull);
  };

  /** `values` are those of each contact; they are needed if `wantsValues`. */
  return async (
    botId: string,
    include: readonly ContactInclude[],
    contacts: Contact[],
    values: readonly ContactValues[] = [],
  ): Promise<IncludingContact[]> => {
    if (include.length === 0 || contacts.length === 0) return contacts;
    const attributes = include.includes('attributes') ? await attributesOf(botId, values) : undefined;
    const tags = include.includes('tags') ? await tagsOf(botId, values) : undefined;
    const lastSeenAt = include.includes('lastSeenAt') ? await lastSeenOf(botId, contacts) : undefined;
    return contacts.map((contact, at) => ({
      ...contact,
      ...(attributes && { attributes: attributes[at] }),
      ...(tags && { tags: tags[at] }),
      ...(lastSeenAt && { lastSeenAt: lastSeenAt[at] }),
    }));
  };
}
