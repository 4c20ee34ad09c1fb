// Checks of the service's responses. A check returns what is wrong with a body, or undefined.
import type { Exchange } from './load.ts';

type Check = NonNullable<Exchange['check']>;

const contactMembers = ['id', 'name', 'email', 'phone', 'mid', 'wid', 'createdAt', 'updatedAt'];

/** Expects `{ data: contact }`, with this id if it is given. `onContact` receives the id. */
export function oneContact(id?: string, onContact?: (id: string) => void): Check {
  return (body) => {
    const { data } = asObject(body);
    const wrong = problemOfContact(data);
    if (wrong !== undefined) return wrong;
    const contact = data as { id: string };
    if (id !== undefined && contact.id !== id) return `expected the contact ${id}, got ${contact.id}`;
    onContact?.(contact.id);
    return undefined;
  };
}

/** Expects `{ data: contacts, pagination }`, with this total, or one from `least` on that is older, and `rows` contacts. */
export function pageOf(total: number, rows: number, least = total): Check {
  return (body) => {
    const { data, pagination } = asObject(body);
    const { total: received } = asObject(pagination);
    const isRight = typeof received === 'number' && received >= least && received <= total;
    if (!isRight) return `expected a total of ${total}, got ${received}`;
    return problemOfContacts(data, rows);
  };
}

/** Expects `{ data: contacts, next }`, with `rows` contacts, the first of them with `firstId` if it is given. */
export function exportOf(rows: number, firstId?: string): Check {
  return (body) => {
    const { data, next } = asObject(body);
    if (next !== null && typeof next !== 'string') return `expected a position as next, got ${next}`;
    const wrong = problemOfContacts(data, rows);
    if (wrong !== undefined) return wrong;
    const [first] = data as { id: string }[];
    return firstId === undefined || first?.id === firstId ? undefined : `expected ${firstId} first, got ${first?.id}`;
  };
}

/** Expects `{ data: [{ index, id }] }`, a row for each item in order. `onIds` receives the ids. */
export function upsertedOf(items: number, onIds?: (ids: string[]) => void): Check {
  return (body) => {
    const { data } = asObject(body);
    if (!Array.isArray(data) || data.length !== items) return `expected ${items} rows, got ${sizeOf(data)}`;
    const position = data.findIndex((row, index) => row?.index !== index || typeof row.id !== 'string');
    if (position >= 0) return `expected row ${position} at its index, got ${JSON.stringify(data[position])}`;
    onIds?.(data.map(({ id }) => id));
    return undefined;
  };
}

export const empty: Check = (body) => (body === undefined ? undefined : 'expected no body');

function problemOfContacts(data: unknown, count: number): string | undefined {
  if (!Array.isArray(data) || data.length !== count) return `expected ${count} contacts, got ${sizeOf(data)}`;
  // Checking the first and the last is enough: the same code makes all of them, and a check must stay cheap.
  return count === 0 ? undefined : (problemOfContact(data[0]) ?? problemOfContact(data.at(-1)));
}

function problemOfContact(value: unknown): string | undefined {
  const contact = asObject(value);
  const lacking = contactMembers.find((member) => typeof contact[member] !== 'string');
  return lacking === undefined ? undefined : `expected a contact with ${lacking}, got ${JSON.stringify(value)}`;
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function sizeOf(data: unknown): string {
  return Array.isArray(data) ? String(data.length) : JSON.stringify(data);
}
