// The events of a transaction, as its writes make them.
import type { EventType } from '@roster/contract';
import { type NewEvent, type PackedEvents, packEvents } from '../event-rows.ts';
import { eventOriginOf, type WriteContext } from '../write-context.ts';

export class PlannedEvents {
  /** Of the write that is being decided. */
  context: WriteContext | undefined;
  /** The number of the last event before these. Undefined: it was not read. */
  readonly before: number | undefined;
  readonly #events: NewEvent[] = [];
  #packed: PackedEvents[] | undefined;

  constructor(before: number | undefined) {
    this.before = before;
  }

  /** `atMs`: when, if not at the time of the write. */
  note(type: EventType, contactId: string, fields?: () => readonly string[], atMs?: number): void {
    const { actor, atMs: nowMs } = eventOriginOf(this.context);
    this.#events.push({ type, contactId, fields: fields?.(), actor, atMs: atMs ?? nowMs });
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
