// A contact that only one writer of the feed test changes: its state by the answers, and the events that it must have made. And
// random changes of it, with the fields that they really change.
import type { ContactUpdate } from '@roster/client';
import type { Random } from '../../packages/server/test/conformance/random.ts';

export interface OwnContact {
  /** Undefined until it was created. */
  id: string | undefined;
  email: string;
  name: string;
  phone: string;
  attributes: Map<string, string>;
  tags: Set<string>;
  tokens: string[];
  /** How often it was changed. Its `mid` has this number. */
  version: number;
  /** As `describeEvent` writes them, of all requests that were answered. */
  events: string[];
}

/** What a request does to a contact, once it was answered. */
export interface Effect {
  contact: OwnContact;
  /** Undefined: it changes nothing. */
  event: string | undefined;
  apply(): void;
}

export interface Changes {
  input: ContactUpdate;
  effect: Effect;
}

export interface Choices {
  attributes: readonly string[];
  tags: readonly string[];
}

export function newContact(email: string): OwnContact {
  const [attributes, tags] = [new Map<string, string>(), new Set<string>()];
  return { id: undefined, email, name: '', phone: '', attributes, tags, tokens: [], version: 0, events: [] };
}

export function describeEvent({ type, fields }: { type: string; fields?: string[] | undefined }): string {
  return fields === undefined ? type : `${type} ${fields.toSorted().join()}`;
}

/** Values come from small pools, so that some changes are none. */
export function changeRandomly(
  random: Random,
  contact: OwnContact,
  choices: Choices,
  always: ContactUpdate = {},
): Changes {
  const input: ContactUpdate = { ...always };
  if (random.isOneIn(2)) input.name ??= `Name ${random.below(1e9)}`;
  if (random.isOneIn(3)) input.phone = random.isOneIn(3) ? contact.phone : `+1 555 ${random.below(1e7)}`;
  if (choices.attributes.length > 0 && random.isOneIn(3)) {
    input.attributes = { [random.pick(choices.attributes)]: random.isOneIn(4) ? null : `value ${random.below(3)}` };
  }
  if (random.isOneIn(3)) {
    const [added, removed] = [random.pick(choices.tags), random.pick(choices.tags)];
    input.addTags = [added];
    if (removed !== added) input.removeTags = [removed];
  }
  // A request must name a field.
  if (Object.keys(input).length === 0) input.phone = contact.phone;

  const { next, fields } = changed(contact, input);
  const isNew = contact.id === undefined;
  if (isNew || fields.length > 0) {
    next.version++;
    input.mid = String(next.version);
    fields.push('mid');
  }
  const updated = fields.length === 0 ? undefined : describeEvent({ type: 'contact.updated', fields });
  const apply = () => Object.assign(contact, next);
  return { input, effect: { contact, event: isNew ? 'contact.created' : updated, apply } };
}

/** The contact afterwards, and what the event says of it. */
function changed(contact: OwnContact, { name, email, phone, attributes, addTags, removeTags }: ContactUpdate) {
  const next = {
    name: name ?? contact.name,
    email: email ?? contact.email,
    phone: phone ?? contact.phone,
    attributes: new Map(contact.attributes),
    tags: contact.tags.difference(new Set(removeTags)).union(new Set(addTags)),
    version: contact.version,
  };
  const fields: string[] = (['name', 'email', 'phone'] as const).filter((field) => next[field] !== contact[field]);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value !== (contact.attributes.get(key) ?? null)) fields.push(`attributes.${key}`);
    if (typeof value === 'string') next.attributes.set(key, value);
    else next.attributes.delete(key);
  }
  if (next.tags.symmetricDifference(contact.tags).size > 0) fields.push('tags');
  return { next, fields };
}
