// Parses a large JSON body in steps: each member of the object, and each contact in a list of them, is a step of its own. What no
// operation takes is refused before it is parsed, since parsing can take a hundred times the memory of the bytes.
import { limits } from '@roster/contract';
import { ApiError, invalidRequest } from './api-error.ts';

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d];

/** Lists of contacts, which are the only ones that may be long. */
const contactLists: ReadonlyMap<string, number> = new Map([
  ['data', limits.contactsPerUpsert],
  ['ids', limits.contactsPerDelete],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const byteOrderMark = Buffer.from('\uFEFF');

export interface LargeJsonOptions {
  /** The operation takes a list of contacts. */
  takesContacts: boolean;
  /** Called with the number of values in the next step, before it is parsed. An error that it throws ends the parsing. */
  onValues: (count: number) => void;
}

export function* parseLargeJson(
  bytes: Buffer,
  { takesContacts, onValues }: LargeJsonOptions,
): Generator<void, unknown> {
  const scanner = new Scanner(bytes, onValues);
  const value = scanner.next === openObject ? yield* parseObject(scanner, takesContacts) : scanner.parseValue('body');
  if (scanner.next !== undefined) throw scanner.invalid();
  return value;
}

function* parseObject(scanner: Scanner, takesContacts: boolean): Generator<void, object> {
  const members: [string, unknown][] = [];
  for (const _ of scanner.elements(closeObject)) {
    if (members.length === limits.valuesPerItem) throw tooManyValues('body');
    const key = scanner.parseKey();
    const max = takesContacts ? contactLists.get(key) : undefined;
    const isList = max !== undefined && scanner.next === openArray;
    members.push([key, isList ? yield* parseList(scanner, key, max) : scanner.parseValue(key)]);
    yield;
  }
  return Object.fromEntries(members);
}

function* parseList(scanner: Scanner, key: string, max: number): Generator<void, unknown[]> {
  const items: unknown[] = [];
  for (const _ of scanner.elements(closeArray)) {
    if (items.length === max) throw tooManyContacts(max);
    items.push(scanner.parseValue(key, items.length));
    yield;
  }
  return items;
}

export function tooManyContacts(max: number): ApiError {
  const detail = `A request can have at most ${max} contacts, and this one has more. Nothing was changed. Send smaller requests.`;
  return new ApiError('too_many_contacts', detail);
}

/** Finds where values begin and end. Whether they are valid is for `JSON.parse` to say. */
class Scanner {
  readonly #bytes: Buffer;
  readonly #onValues: (count: number) => void;
  #at = 0;

  constructor(bytes: Buffer, onValues: (count: number) => void) {
    this.#bytes = bytes;
    this.#onValues = onValues;
    if (bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)) this.#at = byteOrderMark.length;
  }

  /** The next byte that is not white space; undefined at the end. */
  get next(): number | undefined {
    let byte = this.#bytes[this.#at];
    while (byte === space || byte === lineFeed || byte === tab || byte === carriageReturn)
      byte = this.#bytes[++this.#at];
    return byte;
  }

  /** Once for each element of an array or an object, of which the caller reads the value. */
  *elements(close: number): Generator<void> {
    this.#at++;
    if (this.#isTaken(close)) return;
    do yield;
    while (this.#isTaken(comma));
    if (!this.#isTaken(close)) throw this.invalid();
  }

  parseKey(): string {
    const key = this.#parse(this.#findEnd());
    if (typeof key !== 'string' || !this.#isTaken(colon)) throw this.invalid();
    return key;
  }

  parseValue(field: string, index?: number): unknown {
    return this.#parse(this.#findEnd(() => tooManyValues(field, index)));
  }

  invalid(): ApiError {
    return new ApiError('invalid_json', `The body is not valid JSON in UTF-8: see at position ${this.#at}.`);
  }

  #isTaken(byte: number): boolean {
    if (this.next !== byte) return false;
    this.#at++;
    return true;
  }

  #parse(end: number): unknown {
    try {
      const value = JSON.parse(utf8.decode(this.#bytes.subarray(this.#at, end)));
      this.#at = end;
      return value;
    } catch {
      // The parser's own message quotes the body; what it quotes may be personal.
      throw this.invalid();
    }
  }

  /** Where the value that begins here ends: at what follows it in the array or the object around it. */
  #findEnd(tooMany = () => this.invalid()): number {
    const bytes = this.#bytes;
    let [at, depth, values] = [this.#at, 0, 0];
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte === quote) at = this.#findQuote(at);
      else if (byte === closeArray || byte === closeObject) {
        if (depth-- === 0) break;
      } else if (byte === comma || byte === colon) {
        if (depth === 0) break;
        if (byte === comma) values++;
      } else if (byte === openArray || byte === openObject) {
        depth++;
        values++;
      }
      if (values > limits.valuesPerItem) throw tooMany();
    }
    this.#onValues(values);
    // A string without an end has been passed over to beyond the last byte.
    return Math.min(at, bytes.length);
  }

  /** The quote that ends the string that begins at `at`: no backslash escapes it. */
  #findQuote(at: number): number {
    for (let end = this.#bytes.indexOf(quote, at + 1); end !== -1; end = this.#bytes.indexOf(quote, end + 1)) {
      let before = end;
      while (this.#bytes[before - 1] === backslash) before--;
      if ((end - before) % 2 === 0) return end;
    }
    return this.#bytes.length;
  }
}

/** Any other name than a plain one is the caller's text, which an error does not repeat. */
function tooManyValues(name: string, index?: number): ApiError {
  const field = /^\w{1,40}$/.test(name) ? name : 'body';
  const message = `must have at most ${limits.valuesPerItem} values`;
  return invalidRequest([{ ...(index !== undefined && { index }), field, message }]);
}
