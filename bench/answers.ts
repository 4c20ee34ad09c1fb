// What the answers of the service must be. Each function makes a check, which says what is wrong, or nothing.
import type { Exchange } from './load.ts';

type Check = NonNullable<Exchange['check']>;

const contactMembers = ['id', 'name', 'email', 'phone', 'mid', 'wid', 'createdAt', 'updatedAt'];

/** `{ data: contact }`, of this id where it is known before. `onContact` hears the id. */
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

/** `{ data: contacts, pagination }`, with this total and so many contacts. */
export function pageOf(total: number, rows: number): Check {
  return (body) => {
    const { data, pagination } = asObject(body);
    const { total: told } = asObject(pagination);
    if (told !== total) return `expected a total of ${total}, got ${told}`;
    return problemOfContacts(data, rows);
  };
}

/** `{ data: contacts, next }`, with so many contacts, the first of them this one where it is known before. */
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

/** `{ data: [{ index, id }] }`, a row for each item in its order. `onIds` hears the ids. */
export function upsertedOf(items: number, onIds?: (ids: string[]) => void): Check {
  return (body) => {
    const { data } = asObject(body);
    if (!Array.isArray(data) || data.length !== items) return `expected ${items} rows, got ${sizeOf(data)}`;
    const position = data.findIndex((row, index) => row?.index !== index || typeof row.id !== 'string');
    if (position >= 0) return `expected row ${position} in its place, got ${JSON.stringify(data[position])}`;
    onIds?.(data.map(({ id }) => id));
    return undefined;
  };
}

export const empty: Check = (body) => (body === undefined ? undefined : 'expected no body');

function problemOfContacts(data: unknown, count: number): string | undefined {
  if (!Array.isArray(data) || data.length !== count) return `expected ${count} contacts, got ${sizeOf(data)}`;
  // All are made by the same code: the ends tell as much as each of a thousand.
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
