// NDJSON and JSON arrays as rows: members are columns. Of a JSON array too, only one element is in memory at a time.

import { guessColumns, type Row, rowSizeMax } from '@roster/contact-files';
import { contactFields } from '@roster/contract';
import { JSONParser } from '@streamparser/json';
import { failure } from '../failure.ts';
import type { RowSource } from './rows.ts';

interface Item {
  line: number;
  value: unknown;
  /** Why there is no value. */
  fault?: string;
  text(): string;
}

/** Objects need not have the same members, so the columns are gathered from the first of them. */
const sampleSize = 1000;

export async function openNdjson(name: string, text: AsyncGenerator<string>): Promise<RowSource> {
  const source = await openItems(name, readLines(name, text));
  return { ...source, format: 'ndjson', unit: 'line', description: 'NDJSON, an object a line' };
}

export async function openJson(name: string, text: AsyncGenerator<string>): Promise<RowSource> {
  const source = await openItems(name, readArray(name, text));
  return { ...source, format: 'json', unit: 'item', description: 'JSON, an array of objects' };
}

async function openItems(name: string, items: AsyncGenerator<Item>): Promise<Pick<RowSource, 'header' | 'rows'>> {
  const sample: Item[] = [];
  const members = new Set<string>();
  while (sample.length < sampleSize) {
    const next = await items.next();
    if (next.done) break;
    sample.push(next.value);
    if (isObject(next.value.value)) for (const member of Object.keys(next.value.value)) members.add(member);
  }
  if (sample.length === 0) throw failure(`${name} is empty: there is no contact in it.`);
  const header = [...members];
  // A field may turn up for the first time in the last object: under its own name it is never missed.
  const guess = guessColumns(header);
  for (const field of contactFields) if (field !== 'email' && guess[field].length === 0) header.push(field);
  return { header, rows: toRows(header, sample, items) };
}

async function* toRows(header: readonly string[], sample: Item[], items: AsyncGenerator<Item>): AsyncGenerator<Row> {
  try {
    for (const item of sample.splice(0)) yield toRow(header, item);
    for await (const item of items) yield toRow(header, item);
  } finally {
    await items.return(undefined);
  }
}

function toRow(header: readonly string[], { line, value, fault, text }: Item): Row {
  if (fault !== undefined) return { line, cells: [], fault, text };
  if (!isObject(value)) return { line, cells: [], fault: 'is not a JSON object', text };
  return { line, cells: header.map((member) => (Object.hasOwn(value, member) ? value[member] : undefined)), text };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function* readLines(name: string, text: AsyncGenerator<string>): AsyncGenerator<Item> {
  let rest = '';
  let line = 0;
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const each of lines) {
      line++;
      if (each.trim() !== '') yield parseLine(each, line);
    }
    if (rest.length > rowSizeMax) {
      const size = `${rowSizeMax / 1024 ** 2} MiB`;
      throw failure(
        `${name}, line ${line + 1}: the line is larger than ${size}. For one JSON array pass --format json.`,
      );
    }
  }
  if (rest.trim() !== '') yield parseLine(rest, line + 1);
}

function parseLine(given: string, line: number): Item {
  const text = () => given.trim();
  try {
    return { line, value: JSON.parse(given), text };
  } catch {
    return { line, value: undefined, fault: 'is not valid JSON', text };
  }
}

/** `[ … ]`, or `{ "data": [ … ] }` as the API answers. */
async function* readArray(name: string, text: AsyncGenerator<string>): AsyncGenerator<Item> {
  let found: unknown[] = [];
  let parser: JSONParser | undefined;
  let position = 0;
  let unfinished = 0;
  for await (const chunk of text) {
    const start = chunk.trimStart()[0];
    if (parser === undefined && start === undefined) continue;
    parser ??= makeParser(name, start === '{' ? '$.data.*' : '$.*', (value) => found.push(value));
    parser.write(chunk);
    unfinished = found.length > 0 ? chunk.length : unfinished + chunk.length;
    if (unfinished > rowSizeMax) {
      throw failure(
        `${name}, item ${position + 1}: it is larger than ${rowSizeMax / 1024 ** 2} MiB. Is it an array of contacts?`,
      );
    }
    for (const value of found) yield { line: ++position, value, text: () => JSON.stringify(value) };
    found = [];
  }
  if (parser !== undefined && !parser.isEnded)
    throw failure(`${name} ends in the middle of the JSON, after item ${position}.`);
}

function makeParser(name: string, path: string, onItem: (value: unknown) => void): JSONParser {
  const parser = new JSONParser({ paths: [path], keepStack: false });
  parser.onValue = ({ value }) => onItem(value);
  parser.onError = (error) => {
    const reason = error.message.split('\n', 1)[0];
    throw failure(`${name} is not valid JSON: ${reason}. For an object a line pass --format ndjson.`, error);
  };
  return parser;
}
