// The events of a transaction, as its writes make them. The ids of their rows are made anew in every try of it.
import type { EventType } from '@roster/contract';
import { type NewEvent, type PackedEvents, packEvents } from '../../events/rows.ts';
import { eventOriginOf, type WriteContext } from '../../write-context.ts';

export class PlannedEvents {
  /** Of the write that is being decided. */
  context: WriteContext | undefined;
  readonly #before: number;
  readonly #events: NewEvent[] = [];
  #rows: (PackedEvents & { last: number })[] | undefined;

  /** `before` is the number of the last event that there is. */
  constructor(before: number) {
    this.#before = before;
  }

  /** `atMs`: when, if not at the time of the write. */
  note(type: EventType, contactId: string | null, fields?: () => readonly string[], atMs?: number): void {
    const { actor, atMs: nowMs } = eventOriginOf(this.context);
    this.#events.push({ type, contactId, fields: fields?.(), actor, atMs: atMs ?? nowMs });
  }

  get count(): number {
    return this.#events.length;
  }

  /** The number of the last of them. */
  get last(): number {
    return this.#before + this.count;
  }

  /** Each with the number of its last event. When all writes are decided. */
  get rows(): readonly (PackedEvents & { last: number })[] {
    let last = this.#before;
    this.#rows ??= packEvents(this.#events).map((row) => {
      last += row.count;
      return { ...row, last };
    });
    return this.#rows;
  }
}
