// The events of a transaction, as its writes make them.
import type { EventType } from '@roster/contract';
import { type NewEvent, type PackedEvents, packEvents } from '../event-rows.ts';
import type { EventStamp } from '../event-store.ts';

export class PlannedEvents {
  /** Of the write that is being decided. Undefined: it makes none. */
  stamp: EventStamp | undefined;
  /** The number of the last event before these. Undefined: it was not read. */
  readonly before: number | undefined;
  readonly #events: NewEvent[] = [];
  #packed: PackedEvents[] | undefined;

  constructor(before: number | undefined) {
    this.before = before;
  }

  /** Without a stamp it is a no-op. */
  note(type: EventType, contactId: string, fields?: () => readonly string[], stamp = this.stamp): void {
    if (stamp !== undefined) this.#events.push({ type, contactId, fields: fields?.(), stamp });
  }

  get count(): number {
    return this.#events.length;
  }

  /** When all writes are decided. */
  get packed(): readonly PackedEvents[] {
    this.#packed ??= packEvents(this.#events);
    return this.#packed;
  }
}
