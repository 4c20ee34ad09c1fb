// Channels and greetings as a form edits them: rows with an id of their own, so that a row that was removed takes its error
// along. The fields of a form are text, so the rows are JSON.
import type { AccountBot, Channel } from '@roster/contract';

export interface Identified {
  id: number;
}

export interface GreetingRow extends Identified {
  language: string;
  text: string;
}

export type ChannelRow = Channel & Identified;

export function fromChannels(channels: readonly Channel[]): string {
  return JSON.stringify(channels.map((channel, id) => ({ id, ...channel })));
}

export function toChannels(rows: string): Channel[] {
  return parseRows<ChannelRow>(rows).map(({ type, value, label }) => ({ type, value, label }));
}

export function fromGreetings(greetings: AccountBot['greetings']): string {
  return JSON.stringify(Object.entries(greetings).map(([language, text], id) => ({ id, language, text })));
}

export function toGreetings(rows: string): AccountBot['greetings'] {
  return Object.fromEntries(parseRows<GreetingRow>(rows).map(({ language, text }) => [language.trim(), text]));
}

/** Ids of rows whose language an earlier row has: they would replace it. */
export function repeatedLanguages(rows: string): Set<number> {
  const seen = new Set<string>();
  const repeated = new Set<number>();
  for (const { id, language } of parseRows<GreetingRow>(rows)) {
    const key = language.trim().toLowerCase();
    if (seen.has(key)) repeated.add(id);
    seen.add(key);
  }
  return repeated;
}

export function parseRows<Row extends Identified>(rows: string): Row[] {
  return JSON.parse(rows) as Row[];
}

export function addRow<Row extends Identified>(rows: Row[], row: Omit<Row, 'id'>): Row[] {
  const id = Math.max(-1, ...rows.map((each) => each.id)) + 1;
  return [...rows, { ...row, id } as Row];
}
