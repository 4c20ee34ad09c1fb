// Generated contacts, the same in every run: number n is always the same contact. And words to search for, each with a
// known share of hits. A change of this file invalidates every cached data set.

const given =
  'James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth José Barbara Richard Susan Zoë Jessica Thomas Sarah Łukasz Karen Ngozi Wei Fatima Ivan Yuki Aarav Chloé Mehmet Olga Pedro'.split(
    ' ',
  );
const start = 'Bar Cor Dun Fal Gar Hol Kir Lan Mor Nor Pel Quin Rad Sel Tor Ul Ven Wal Yar Zim'.split(' ');
const middle = 'a e i o u an en in on ar er or'.split(' ');
const end = 'berg dale field ford ham heim land ley man mont nov ridge sen sky son stein ton vik well wood'.split(' ');
/** Two of five: 40% are at gmail.com. */
const domains = 'gmail.com gmail.com yahoo.com outlook.com example.org'.split(' ');
/** Each follows the name of 4 contacts in a thousand. */
const titles = 'PhD MD Jr Esq III'.split(' ');

/** Hashes the number, so that consecutive contacts have nothing in common. */
function hash(n: number, salt: number): number {
  let x = Math.imul(n ^ (salt * 0x9e3779b9), 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

const pick = (list: readonly string[], n: number, salt: number) => list[hash(n, salt) % list.length] as string;

function surnameOf(n: number): string {
  return `${pick(start, n, 2)}${pick(middle, n, 3)}${pick(end, n, 4)}`;
}

function phoneOf(n: number, salt: number): { phone: string; wid: string } {
  const digits = String(hash(n, salt)).padStart(10, '0').slice(-10);
  return { phone: `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`, wid: `+1${digits}` };
}

export interface SampleContact {
  name: string;
  email: string;
  phone: string;
  mid?: string;
  wid?: string;
}

export function sampleContact(n: number): SampleContact {
  const first = pick(given, n, 1);
  const title = titles[Math.floor((hash(n, 8) % 1000) / 4)];
  const { phone, wid } = phoneOf(n, 5);
  return {
    name: `${first} ${surnameOf(n)}${title === undefined ? '' : ` ${title}`}`,
    email: `${first}.${surnameOf(n)}.${n}@${pick(domains, n, 6)}`.toLowerCase(),
    phone,
    ...(n % 2 === 0 && { wid }),
    ...(n % 3 === 0 && { mid: String(hash(n, 7)) }),
  };
}

/** Contact n with another phone number, a different one for each `change`: an upsert of it is a real change. */
export function changedContact(n: number, change: number): SampleContact {
  return { ...sampleContact(n), phone: phoneOf(n, 100 + change).phone };
}

export function contactAtGmail(n: number): SampleContact {
  const contact = sampleContact(n);
  return { ...contact, email: contact.email.replace(/@.*/, '@gmail.com') };
}

/** A part of an email that only this contact has: a search with one hit among any number of contacts. */
export function rareWordOf(n: number): string {
  return `${surnameOf(n)}.${n}@`.toLowerCase();
}

/** 40% of all contacts match this word. */
export const broadWord = 'gmail';

/** Substrings of the same domain, which the same 40% match: different queries of the same cost. */
export const broadWords = Array.from({ length: 7 }, (_, i) => '@gmail.com'.slice(0, 4 + i)).flatMap((word) => [
  word,
  word.slice(1),
]);

/**
 * Words by kind. Each kind has several, so that a server that caches one search gains little for the next. All are
 * lower case, without white space, and not only digits: a contact matches when its folded text or its id contains the
 * word.
 */
export const words = {
  /** 4 in a thousand contacts match each. */
  thousands: start
    .filter((head) => head.length > 2)
    .flatMap((head) => ['en', 'on', 'or'].map((tail) => `${head}${tail}`.toLowerCase())),
  /** The same share, in three characters. */
  three: ['phd', 'esq', 'iii'],
  one: ['j', 'k', 'q', 'v', 'w', 'x', 'y', 'z'],
  oneWithoutHits: ['王', '李', '张', 'ж', '~', '#'],
  two: ['md', 'jr', 'zi', 'qu', 'yu', 'zo'],
  twoWithoutHits: ['王伟', '李娜', 'жж', 'qx', 'vq', 'jx'],
  broad: [broadWord],
} as const satisfies Record<string, readonly string[]>;

export type WordKind = keyof typeof words;

/** Letters that most contacts contain: together with a broad word they make a search that no index narrows down. */
export const commonLetters = 'aeilmnorst'.split('');
