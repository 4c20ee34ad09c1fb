// What a search sees: the folded text of a contact, and the words of a query. The same for every engine, so that
// all find the same contacts.
import { idKinds } from '@roster/contract/ids';

/** Letters that Unicode does not decompose, and the plain letters that are typed for them. */
const plainLetters: Record<string, string> = {
  æ: 'ae',
  ð: 'd',
  đ: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  ø: 'o',
  œ: 'oe',
  ß: 'ss',
  þ: 'th',
  ŧ: 't',
  // Sigma has another form at the end of a word, and a search may cut the word elsewhere.
  ς: 'σ',
};

const letters = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');
/** Only the Latin, Greek and Cyrillic accents: other combining marks carry meaning in Hindi, Thai or Japanese. */
const accents = /[\u0300-\u036f]/g;
const ascii = /^[\0-\x7f]*$/;

/** Folding twice changes nothing more: decomposing can yield capitals, and lowering can yield accents. */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      .normalize('NFKD')
      .replace(accents, '')
      .replace(letters, (letter) => plainLetters[letter] as string)
      // Without the accents between them, other combining marks may have another canonical order.
      .normalize('NFKD')
  );
}

export interface SearchableFields {
  name: string;
  email: string;
  phone: string;
  mid: string;
  wid: string;
}

const nonDigits = /[^0-9]/g;

/**
 * The folded fields, one a line, the name first, and the phone's digits once more without what stands between them; then
 * the text values of attributes. A word holds no white space, so it never spans two lines; a line that stands within
 * another adds nothing and is left out. The id is not part of it: see `canBeInId`.
 */
export function searchTextOf(contact: SearchableFields, values: readonly string[] = []): string {
  let text = `${fold(contact.name)}\n${fold(contact.email)}`;
  const phone = fold(contact.phone);
  for (const line of [contact.wid, phone, phone.replace(nonDigits, ''), fold(contact.mid), ...values.map(fold)]) {
    if (line !== '' && !text.includes(line)) text += `\n${line}`;
  }
  return text;
}

/** A word of a query occurs in a contact when one of its spellings does. */
export interface SearchWord {
  spellings: readonly string[];
}

const phoneCharacters = /^[0-9+().-]+$/;

/**
 * The words of a query, each once. A word that looks like a phone number is also looked for by its digits alone.
 * Words that stand in every id (`con`) are left out: they rule out nothing.
 */
export function parseQuery(query: string): SearchWord[] {
  const words = fold(query)
    .split(/\s+/)
    .filter((word) => !idKinds.contact.prefix.includes(word));
  // Known by its spellings: `4.` and `4-` are the same word.
  const known = new Map(words.map((word) => [spellingsOf(word).join(' '), { spellings: spellingsOf(word) }]));
  return Array.from(known.values());
}

/**
 * Drops words that stand within others, such as `ja` beside `jane`: they rule out nothing more. The longest come first: they
 * are mostly the rarest, and a contact without the first word is not searched for the others. Compares each with each.
 */
export function withoutImplied(words: readonly SearchWord[]): SearchWord[] {
  const kept: SearchWord[] = [];
  for (const word of words.toSorted((one, other) => lengthOf(other) - lengthOf(one))) {
    if (!kept.some((longer) => implies(longer, word))) kept.push(word);
  }
  return kept;
}

/** Whether every contact that holds `one` holds `other` too. */
function implies(one: SearchWord, other: SearchWord): boolean {
  return one.spellings.every((spelling) => other.spellings.some((part) => spelling.includes(part)));
}

/** The length of the shortest spelling. A word that implies another is at least as long. */
function lengthOf({ spellings }: SearchWord): number {
  return Math.min(...spellings.map(({ length }) => length));
}

function spellingsOf(word: string): string[] {
  const digits = phoneCharacters.test(word) ? word.replace(nonDigits, '') : '';
  if (digits === '') return [word];
  // A text that holds the word as written holds its unbroken digits too.
  return word.includes(digits) ? [digits] : [word, digits];
}

const partOfId = /^(?:c?o?n?_)?[0-9]?(?:[a-z][0-9])*[a-z]?$/;

/** Whether the changing part of an id could hold this text: pairs of a letter and a digit, as in hardly any word. */
export function canBeInId(spelling: string): boolean {
  return partOfId.test(spelling);
}

/** No contact holds a NUL or an unpaired surrogate, and engines cannot search for them. */
export function isImpossible({ spellings }: SearchWord): boolean {
  return spellings.every((spelling) => spelling.includes('\0') || !spelling.isWellFormed());
}

/** The meaning of a search, in plain code: engines must find exactly these contacts. */
export function matches(
  contact: SearchableFields & { id: string },
  words: readonly SearchWord[],
  values: readonly string[] = [],
): boolean {
  const text = searchTextOf(contact, values);
  return words.every((word) =>
    word.spellings.some((spelling) => text.includes(spelling) || contact.id.includes(spelling)),
  );
}
