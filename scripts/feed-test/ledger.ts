// What the writers of the feed test were answered, and what must be in the feed therefore. A request without an answer happened as a
// whole or not at all; nobody touches its contacts again.
import type { ContactEvent, ContactWith } from '@roster/client';
import { describeEvent, type Effect, type OwnContact } from './own-contact.ts';

export type ExportedContact = ContactWith<'attributes' | 'tags'>;

/** Of a contact that all writers change: how often which event was made by a request that was answered. */
type SharedCounts = Record<'contact.created' | 'contact.updated' | 'contact.deleted', number>;

export class Ledger {
  /** Requests that changed something and were answered; those that changed shared contacts alone are not counted. */
  changes = 0;
  readonly #contacts = new Set<OwnContact>();
  readonly #uncertain: (readonly Effect[])[] = [];
  readonly #shared = new Map<string, SharedCounts>();
  /** Those that are there, as far as the answers tell. */
  readonly sharedIds = new Set<string>();
  #sharedUncertain = 0;
  /** Events about all contacts: how many there are at least, and at most. */
  readonly #ofAll = new Map<string, { least: number; most: number }>();

  get uncertainRequests(): number {
    return this.#uncertain.length;
  }

  note(effects: readonly Effect[]): void {
    for (const { contact, event, apply } of effects) {
      this.#contacts.add(contact);
      if (event !== undefined) contact.events.push(event);
      apply();
    }
    if (effects.some(({ event }) => event !== undefined)) this.changes++;
  }

  noteUncertain(effects: readonly Effect[], sharedCount = 0): void {
    this.#uncertain.push(effects);
    this.#sharedUncertain += sharedCount;
  }

  noteShared(id: string, type: keyof SharedCounts): void {
    const counts = this.#shared.get(id) ?? { 'contact.created': 0, 'contact.updated': 0, 'contact.deleted': 0 };
    this.#shared.set(id, counts);
    counts[type]++;
    // The answers to different writers come in any order.
    if (counts['contact.deleted'] === 0) this.sharedIds.add(id);
    else this.sharedIds.delete(id);
  }

  noteOfAll(event: string, { isCertain }: { isCertain: boolean }): void {
    const { least, most } = this.#ofAll.get(event) ?? { least: 0, most: 0 };
    this.#ofAll.set(event, { least: least + (isCertain ? 1 : 0), most: most + 1 });
    if (isCertain) this.changes++;
  }

  /** Compares with the whole feed and an export, when nobody writes any more. */
  check(feed: readonly ContactEvent[], exported: readonly ExportedContact[]): string[] {
    const problems: string[] = [];
    const byContact = Map.groupBy(feed, ({ contactId }) => contactId);
    this.#checkOfAll(byContact.get(null) ?? [], problems);
    byContact.delete(null);
    const events = new Map<string, string[]>();
    for (const [id, list] of byContact) events.set(id as string, list.map(describeEvent));
    checkLives(events, exported, problems);

    const idByEmail = new Map(exported.map(({ email, id }) => [email, id]));
    for (const effects of this.#uncertain) this.#settle(effects, events, idByEmail, problems);
    for (const { id = '', events: expected } of this.#contacts) {
      const found = events.get(id) ?? [];
      if (found.join() !== expected.join()) problems.push(`the events of ${id} are ${found}, not ${expected}`);
      events.delete(id);
    }
    this.#checkShared(events, problems);
    return problems;
  }

  /** Finds out whether a request without an answer happened, by the events of its contacts, and notes it if so. */
  #settle(
    effects: readonly Effect[],
    events: ReadonlyMap<string, string[]>,
    idByEmail: ReadonlyMap<string, string>,
    problems: string[],
  ): void {
    const visible = effects.filter(({ event }) => event !== undefined);
    const happened = visible.filter(({ contact }) => {
      // An answered create gave it an id; otherwise this request was to create it.
      contact.id ??= idByEmail.get(contact.email);
      return (events.get(contact.id ?? '')?.length ?? 0) > contact.events.length;
    });
    if (happened.length === 0) return;
    if (happened.length < visible.length) {
      problems.push(`a request happened in part: ${happened.length} of ${visible.length} changes`);
    }
    this.note(happened);
  }

  #checkOfAll(events: readonly ContactEvent[], problems: string[]): void {
    const found = new Map(
      Map.groupBy(events, describeEvent)
        .entries()
        .map(([event, list]) => [event, list.length]),
    );
    for (const event of new Set([...found.keys(), ...this.#ofAll.keys()])) {
      const { least, most } = this.#ofAll.get(event) ?? { least: 0, most: 0 };
      const count = found.get(event) ?? 0;
      if (count < least || count > most) problems.push(`${event} came ${count} times, not ${least} to ${most} times`);
    }
  }

  /** `events` are those of all contacts that no writer has for itself. */
  #checkShared(events: ReadonlyMap<string, string[]>, problems: string[]): void {
    let unexplained = 0;
    for (const id of new Set([...events.keys(), ...this.#shared.keys()])) {
      const found = events.get(id) ?? [];
      for (const type of ['contact.created', 'contact.updated', 'contact.deleted'] as const) {
        const count = found.filter((event) => event.startsWith(type)).length;
        const answered = this.#shared.get(id)?.[type] ?? 0;
        if (count < answered) problems.push(`${type} of ${id} came ${count} times, and was answered ${answered} times`);
        unexplained += Math.max(0, count - answered);
      }
    }
    if (unexplained > this.#sharedUncertain) {
      problems.push(
        `${unexplained} events of shared contacts have no request, but ${this.#sharedUncertain} may have none`,
      );
    }
  }
}

/** Each contact is created once and first, deleted last if at all, and is there exactly if it was not deleted. */
function checkLives(
  events: ReadonlyMap<string, string[]>,
  exported: readonly ExportedContact[],
  problems: string[],
): void {
  const living = new Set<string>();
  for (const [id, list] of events) {
    const created = list.lastIndexOf('contact.created');
    const deleted = list.indexOf('contact.deleted');
    if (created !== 0 || (deleted !== -1 && deleted !== list.length - 1)) problems.push(`${id} has the events ${list}`);
    if (deleted === -1) living.add(id);
  }
  const ids = new Set(exported.map(({ id }) => id));
  for (const id of ids.symmetricDifference(living)) {
    problems.push(`${id} is ${ids.has(id) ? 'there' : 'not there'}, and its events are ${events.get(id) ?? 'none'}`);
  }
}
