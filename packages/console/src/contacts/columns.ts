// The columns of the contact list: which there are, which a member has chosen, and what they need of the API.
import type { Attribute } from '@roster/client';
import { useState } from 'react';

export interface Column {
  /** `email`, `attributes.plan` */
  key: string;
  label: string;
  /** The field by which the list can be sorted. */
  sort?: 'name' | 'email' | 'createdAt' | 'updatedAt';
  /** Of an attribute. */
  attribute?: Attribute;
}

export const nameColumn: Column = { key: 'name', label: 'Name', sort: 'name' };

const fixedColumns: readonly Column[] = [
  { key: 'email', label: 'Email', sort: 'email' },
  { key: 'phone', label: 'Phone' },
  { key: 'wid', label: 'WhatsApp' },
  { key: 'mid', label: 'Messenger ID' },
  { key: 'tags', label: 'Tags' },
  { key: 'lastSeenAt', label: 'Last seen' },
  { key: 'createdAt', label: 'Created', sort: 'createdAt' },
  { key: 'updatedAt', label: 'Updated', sort: 'updatedAt' },
];

/** Numbers stand below each other, digit by digit. */
export function isNumeric({ attribute }: Column): boolean {
  return attribute?.type === 'number';
}

const usualKeys: readonly string[] = ['email', 'phone', 'lastSeenAt', 'createdAt'];

export function columnsOf(attributes: readonly Attribute[]): Column[] {
  const ofAttributes = attributes.map((attribute) => ({
    key: `attributes.${attribute.key}`,
    label: attribute.label,
    attribute,
  }));
  return [...fixedColumns, ...ofAttributes];
}

/** What `include` has to name, so that these columns can be shown. */
export function includeFor(keys: readonly string[]): ('attributes' | 'tags' | 'lastSeenAt')[] {
  return (['attributes', 'tags', 'lastSeenAt'] as const).filter((name) =>
    keys.some((key) => key === name || key.startsWith(`${name}.`)),
  );
}

/** The keys of the chosen columns. The choice is kept in this browser, for each bot. */
export function useColumnKeys(botId: string): [readonly string[], (keys: readonly string[]) => void] {
  const place = `roster columns ${botId}`;
  const [keys, setKeys] = useState(() => readKeys(place));
  const choose = (next: readonly string[]) => {
    setKeys(next);
    try {
      localStorage.setItem(place, JSON.stringify(next));
    } catch {
      // The browser stores nothing for this site: the choice holds until the page is left.
    }
  };
  return [keys, choose];
}

function readKeys(place: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? 'null');
    if (Array.isArray(kept) && kept.every((key) => typeof key === 'string')) return kept;
  } catch {
    // Nothing is stored, or not by this version.
  }
  return usualKeys;
}
