// Deliveries as both engines store them: columns, what a row comes to, and what an event and an attempt are written as.
import type { DeliveryStatus } from '@roster/contract';
import type { Attempted, DeliveryAttempt, StoredDelivery } from './webhook-store.ts';

export const deliveryColumns = `number, event_id AS "eventId", event, status, attempts, created_at AS "createdAtMs",
    attempted_at AS "attemptedAtMs", due_at AS "dueAtMs", deferral, status_code AS "statusCode", response, error,
    earlier_attempts AS "earlier"`;

export interface DeliveryRow {
  number: number;
  eventId: string;
  /** The members of the event without its id and number, in JSON. */
  event: string;
  status: DeliveryStatus;
  attempts: number;
  createdAtMs: number;
  attemptedAtMs: number | undefined;
  dueAtMs: number | undefined;
  deferral: number;
  statusCode: number | undefined;
  response: string | undefined;
  error: string | undefined;
  /** JSON. */
  earlier: string | undefined;
}

export function toDelivery({ number, eventId, event, ...row }: DeliveryRow): StoredDelivery {
  const { type, atMs, contactId, fields, actor } = JSON.parse(event);
  return {
    event: { id: eventId, number, type, atMs, contactId, fields, actor },
    status: row.status,
    attempts: row.attempts,
    createdAtMs: row.createdAtMs,
    attemptedAtMs: row.attemptedAtMs ?? null,
    dueAtMs: row.dueAtMs ?? null,
    isWaiting: row.deferral === 2,
    statusCode: row.statusCode ?? null,
    response: row.response ?? null,
    error: row.error ?? null,
    earlier: row.earlier === undefined ? [] : JSON.parse(row.earlier),
  };
}

/** Oldest first. Of one that an earlier version tried, the last one alone. */
export function attemptsOf({ attemptedAtMs, statusCode, error, earlier }: StoredDelivery): readonly Attempted[] {
  return attemptedAtMs === null ? [] : [...earlier, { atMs: attemptedAtMs, statusCode, error }];
}

/** The members of an event that are not in columns of their own. */
export function jsonOf({ type, atMs, contactId, fields, actor }: StoredDelivery['event']): string {
  return JSON.stringify({ type, atMs, contactId, fields, actor });
}

/** A receiver may answer with anything; PostgreSQL keeps no NUL and no half of a surrogate pair. */
const storable = (text: string | null) => text?.replaceAll('\0', '').toWellFormed() ?? null;

/** In the order of the columns that an attempt sets. */
export function attemptValuesOf(attempt: DeliveryAttempt): (string | number | null)[] {
  const { status, attempts, attemptedAtMs, dueAtMs, statusCode, response, error, earlier } = attempt;
  const deferral = status === 'pending' ? 1 : 0;
  const texts = [storable(response), storable(error), earlier.length > 0 ? JSON.stringify(earlier) : null];
  return [status, attempts, attemptedAtMs, dueAtMs, deferral, statusCode, ...texts];
}

/** The contact of an event, as the column has it: empty for events of the whole bot, which are in one order too. */
export const contactOf = ({ contactId }: StoredDelivery['event']) => contactId ?? '';
