// NDJSON and JSON arrays as rows: members are columns, and so are those of `attributes`. Of a JSON array too, only one
// element is in memory at a time.

import { attributeTitle, guessColumns, keyInTitle, type Row, rowSizeMax } from '@roster/contact-files';
import { contactFields } from '@roster/contract/names';
import { JSONParser } from '@streamparser/json';
import { failure } from '../failure.ts';
import type { RowSource } from './rows.ts';

export interface JsonOptions {
  /** All columns, as an earlier reading found them. */
  header?: readonly string[] | undefined;
  /** Whether the header grows with each object that has other members, to be complete in the end. */
  isGrowing?: boolean | undefined;
}

interface Item {
  line: number;
  value: unknown;
  /** Why there is no value. */
  fault?: string;
  text(): string;
}

/** Objects need not have the same members, so the columns are gathered from the first of them. */
const sampleSize = 1000;

export async function openNdjson(
  name: string,
  text: AsyncGenerator<string>,
  options: JsonOptions = {},
): Promise<RowSource> {
  const source = await openItems(name, readLines(name, text), options);
  return { ...source, format: 'ndjson', unit: 'line', description: 'NDJSON, one object per line' };
}

export async function openJson(
  name: string,
  text: AsyncGenerator<string>,
  options: JsonOptions = {},
): Promise<RowSource> {
  const source = await openItems(name, readArray(name, text), options);
  return { ...source, format: 'json', unit: 'item', description: 'JSON, an array of objects' };
}

async function openItems(
  name: string,
  items: AsyncGenerator<Item>,
  options: JsonOptions,
): Promise<Pick<RowSource, 'header' | 'rows' | 'addColumns'>> {
  const sample: Item[] = [];
  const titles = new Set<string>(options.header);
  while (sample.length < sampleSize) {
    const next = await items.next();
    if (next.done) break;
    sample.push(next.value);
    if (options.header === undefined) for (const title of titlesOf(next.value.value)) titles.add(title);
  }
  if (sample.length === 0) throw failure(`${name} is empty. It contains no contacts.`);
  const header = [...titles];
  const addColumns = (added: readonly string[]) => header.push(...added.filter((title) => !header.includes(title)));
  if (options.header === undefined) {
    // What a contact has may turn up for the first time in the last object: under its own name it is never missed.
    const guess = guessColumns(header);
    for (const field of contactFields) if (field !== 'email' && guess[field].length === 0) header.push(field);
    addColumns(['tags']);
  }
  return { header, rows: toRows(header, sample, items, options), addColumns };
}

async function* toRows(
  header: string[],
  sample: Item[],
  items: AsyncGenerator<Item>,
  { isGrowing = false }: JsonOptions,
): AsyncGenerator<Row> {
  /** The attribute of each column that may be one, by title. */
  const keys = new Map(header.map((title) => [title, keyInTitle(title) ?? '']));
  const convert = (item: Item): Row => {
    for (const title of titlesOf(item.value)) {
      if (keys.has(title)) continue;
      const key = keyInTitle(title);
      if (isGrowing) {
        keys.set(title, key ?? '');
        header.push(title);
      } else if (key !== undefined) {
        const { line, text } = item;
        return { line, cells: [], fault: `has the attribute "${key}", which the bot does not have`, text };
      }
    }
    return toRow(keys, item);
  };
  try {
    for (const item of sample.splice(0)) yield convert(item);
    for await (const item of items) yield convert(item);
  } finally {
    await items.return(undefined);
  }
}

function toRow(keys: ReadonlyMap<string, string>, { line, value, fault, text }: Item): Row {
  if (fault !== undefined) return { line, cells: [], fault, text };
  if (!isObject(value)) return { line, cells: [], fault: 'is not a JSON object', text };
  const attributes = value['attributes'] ?? {};
  if (!isObject(attributes)) return { line, cells: [], fault: 'attributes must be a JSON object', text };
  const cells = Array.from(keys, ([title, key]) => {
    if (Object.hasOwn(value, title)) return value[title];
    return Object.hasOwn(attributes, key) ? attributes[key] : undefined;
  });
  return { line, cells, text };
}

/** The columns of an object. `attributes` is none itself, but each of its members. */
function titlesOf(value: unknown): string[] {
  if (!isObject(value)) return [];
  return Object.keys(value).flatMap((member) => {
    if (member !== 'attributes') return [member];
    return isObject(value[member]) ? Object.keys(value[member]).map(attributeTitle) : [];
  });
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
        `${name}, line ${line + 1}: the line is larger than ${size}. If the file is a JSON array, pass --format json.`,
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
        `${name}, item ${position + 1}: the item is larger than ${rowSizeMax / 1024 ** 2} MiB. Check that the file is an array of contacts.`,
      );
    }
    for (const value of found) yield { line: ++position, value, text: () => JSON.stringify(value) };
    found = [];
  }
  if (parser !== undefined && !parser.isEnded)
    throw failure(`${name} ends in the middle of the JSON, after item ${position}. Check that the file is complete.`);
}

function makeParser(name: string, path: string, onItem: (value: unknown) => void): JSONParser {
  const parser = new JSONParser({ paths: [path], keepStack: false });
  parser.onValue = ({ value }) => onItem(value);
  parser.onError = (error) => {
    const reason = error.message.split('\n', 1)[0];
    throw failure(
      `${name} is not valid JSON: ${reason}. If the file has one object per line, pass --format ndjson.`,
      error,
    );
  };
  return parser;
}
