// Attributes for columns that have none yet: a key and a label from the title, and a type from all values.
import { faultOfAttributeKey, readAttributeValue } from '@roster/contract/attribute-values';
import { limits } from '@roster/contract/limits';
import { type AttributeType, readOnlyContactFields } from '@roster/contract/names';
import { columnTitle } from './header.ts';
import { isEmpty } from './row-validation.ts';
import type { Cell } from './rows.ts';
import { unguardCell } from './spreadsheet-cell.ts';
import { booleanWords } from './value-cells.ts';
import { type AttributeDefinition, keyInTitle, type ValueColumns } from './value-columns.ts';

/** A whole number with leading zeros, a sign or an exponent is rather a code or a phone number. */
const plainNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/;
/** A double has at least as many. */
const exactDigits = 15;

/** Takes the values of a column, one after the other, and knows which type all of them fit. */
export class TypeGuess {
  /** Values that are too long for any attribute. */
  tooLong = 0;
  readonly #fits = { boolean: true, number: true, date: true };
  /** A column of nothing but 1 and 0 holds numbers. */
  #hasWord = false;
  #isEmpty = true;
  #isNested = false;

  /** `isTyped`: in JSON, text is neither a number nor a boolean. */
  note(cell: Cell, { isTyped, isGuarded }: { isTyped: boolean; isGuarded: boolean }): void {
    if (isEmpty(cell)) return;
    this.#isEmpty = false;
    const fits = this.#fits;
    if (typeof cell !== 'string') {
      fits.boolean &&= typeof cell === 'boolean';
      fits.number &&= typeof cell === 'number';
      fits.date = false;
      this.#hasWord ||= typeof cell === 'boolean';
      this.#isNested ||= typeof cell === 'object';
      return;
    }
    const text = (isGuarded ? unguardCell(cell) : cell).trim();
    const word = text.toLowerCase();
    fits.boolean &&= !isTyped && Object.hasOwn(booleanWords, word);
    this.#hasWord ||= fits.boolean && !/^[01]$/.test(word);
    fits.number &&= !isTyped && isPlainNumber(text);
    fits.date &&= !('fault' in readAttributeValue('date', text));
    if (text.length > limits.attributeTextLength && Array.from(text).length > limits.attributeTextLength) {
      this.tooLong++;
    }
  }

  /** Undefined when there is no value, or one that no attribute can have. */
  get type(): AttributeType | undefined {
    if (this.#isEmpty || this.#isNested) return undefined;
    const { boolean, number, date } = this.#fits;
    if (boolean && this.#hasWord) return 'boolean';
    return number ? 'number' : date ? 'date' : 'text';
  }
}

function isPlainNumber(text: string): boolean {
  return plainNumber.test(text) && text.replaceAll(/[^0-9]/g, '').length <= exactDigits;
}

/** The key that a column would have: that of an export's title, or one made of the title. */
export function keyForColumn(title: string, at: number): string {
  const exported = keyInTitle(title);
  const isKey = exported !== undefined && faultOfAttributeKey(exported) === undefined;
  return isKey ? exported : keyOf(exported ?? title, at);
}

/** A definition for a column. `isTaken` says which keys it cannot have. */
export function defineForColumn(
  title: string,
  at: number,
  type: AttributeType,
  isTaken: (key: string) => boolean,
): AttributeDefinition {
  const key = freeKey(keyForColumn(title, at), isTaken);
  return { key, type, label: labelForColumn(title, at) };
}

export function labelForColumn(title: string, at: number): string {
  const shown = (keyInTitle(title) ?? title).replaceAll(/\p{Cc}+/gu, ' ').trim() || columnTitle(at);
  return Array.from(shown).slice(0, limits.attributeLabelLength).join('').trim();
}

/** `Company name` → `company_name`, `lastSeenAt` → `last_seen_at`, `Größe` → `grosse`. */
function keyOf(title: string, at: number): string {
  const words = title
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  const named = words === '' ? fallbackKey(at) : /^[0-9]/.test(words) ? `column_${words}` : words;
  const key = cut(named, limits.attributeKeyLength);
  return faultOfAttributeKey(key) === undefined ? key : cut(`other_${key}`, limits.attributeKeyLength);
}

const fallbackKey = (at: number) => columnTitle(at).replaceAll(' ', '_');

const cut = (key: string, length: number) => key.slice(0, length).replace(/_+$/, '');

function freeKey(key: string, isTaken: (key: string) => boolean): string {
  let free = key;
  for (let number = 2; isTaken(free); number++) {
    free = `${cut(key, limits.attributeKeyLength - `_${number}`.length)}_${number}`;
  }
  return free;
}

/** Reads a whole file once, to know for each column the type that all its values fit. */
export class ColumnSurvey {
  readonly #guesses: TypeGuess[] = [];
  readonly #how: Parameters<TypeGuess['note']>[1];

  constructor(how: Parameters<TypeGuess['note']>[1]) {
    this.#how = how;
  }

  note(cells: readonly Cell[]): void {
    for (const [at, cell] of cells.entries()) {
      this.#guesses[at] ??= new TypeGuess();
      this.#guesses[at].note(cell, this.#how);
    }
  }

  guessesFor(header: readonly string[]): TypeGuess[] {
    return header.map((_, at) => this.#guesses[at] ?? new TypeGuess());
  }
}

export interface NewAttributes {
  definitions: AttributeDefinition[];
  columns: ValueColumns['attributes'];
  /** Keys of attributes with values that are too long for one, and how many there are. */
  tooLong: { key: string; count: number }[];
}

export interface WantedAttributes {
  /** Columns that get an attribute each, unless they have no value, or objects or lists of JSON. */
  columns: readonly number[];
  /** Attributes whose keys are given, and their columns. */
  named?: readonly { key: string; columns: number[] }[];
  /** Keys that no column may make. */
  leftOut?: ReadonlySet<string>;
}

export function defineNew(
  header: readonly string[],
  guesses: readonly TypeGuess[],
  { columns, named = [], leftOut = new Set() }: WantedAttributes,
  existing: readonly AttributeDefinition[],
): NewAttributes {
  const made: NewAttributes = { definitions: [], columns: [], tooLong: [] };
  const taken = new Set([...existing, ...named].map(({ key }) => key));
  const add = (definition: AttributeDefinition, from: number[]) => {
    taken.add(definition.key);
    made.definitions.push(definition);
    made.columns.push({ key: definition.key, type: definition.type, columns: from });
    const count = from.reduce((sum, at) => sum + (guesses[at]?.tooLong ?? 0), 0);
    if (definition.type === 'text' && count > 0) made.tooLong.push({ key: definition.key, count });
  };
  for (const { key, columns: from } of named) {
    const [only = 0, ...others] = from;
    const type = others.length > 0 ? 'text' : (guesses[only]?.type ?? 'text');
    add({ key, type, label: labelForColumn(header[only] ?? '', only) }, from);
  }
  for (const at of columns) {
    const [title = '', type] = [header[at], guesses[at]?.type];
    if (type === undefined || leftOut.has(keyForColumn(title, at))) continue;
    add(
      defineForColumn(title, at, type, (key) => taken.has(key)),
      [at],
    );
  }
  return made;
}

/** Of columns that nothing takes, those worth an attribute: an export's own id and times are the service's to give. */
export function keptColumns(unused: readonly number[], header: readonly string[]): number[] {
  const isExport = readOnlyContactFields.every((column) => header.includes(column));
  const own: readonly (string | undefined)[] = [...readOnlyContactFields, 'lastSeenAt'];
  const isOwn = (title: string | undefined) => isExport && own.includes(title);
  return unused.filter((at) => !isOwn(header[at]));
}

/** The columns of values, with those of new attributes, in the order of the file. */
export function withCreated({ tags, attributes }: ValueColumns, created: NewAttributes | undefined): ValueColumns {
  const all = [...attributes, ...(created?.columns ?? [])];
  return { tags, attributes: all.sort(({ columns: [a = 0] }, { columns: [b = 0] }) => a - b) };
}
