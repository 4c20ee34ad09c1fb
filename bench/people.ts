// Made-up contacts, the same ones in every run: number n is always the same person. And words to search for, of which
// it is known how many of them each finds. A change here makes every data set anew.

const given =
  'James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth José Barbara Richard Susan Zoë Jessica Thomas Sarah Łukasz Karen Ngozi Wei Fatima Ivan Yuki Aarav Chloé Mehmet Olga Pedro'.split(
    ' ',
  );
const start = 'Bar Cor Dun Fal Gar Hol Kir Lan Mor Nor Pel Quin Rad Sel Tor Ul Ven Wal Yar Zim'.split(' ');
const middle = 'a e i o u an en in on ar er or'.split(' ');
const end = 'berg dale field ford ham heim land ley man mont nov ridge sen sky son stein ton vik well wood'.split(' ');
/** Two of five: 40% are at gmail.com. */
const domains = 'gmail.com gmail.com yahoo.com outlook.com example.org'.split(' ');
/** Each stands after the name of 4 people of a thousand. */
const titles = 'PhD MD Jr Esq III'.split(' ');

/** A fixed scramble of the number, so that neighbours are not alike. */
function scramble(n: number, salt: number): number {
  let x = Math.imul(n ^ (salt * 0x9e3779b9), 0x85ebca6b);
  x ^= x >>> 13;
  x = Math.imul(x, 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

const pick = (list: readonly string[], n: number, salt: number) => list[scramble(n, salt) % list.length] as string;

function surnameOf(n: number): string {
  return `${pick(start, n, 2)}${pick(middle, n, 3)}${pick(end, n, 4)}`;
}

function phoneOf(n: number, salt: number): { phone: string; wid: string } {
  const digits = String(scramble(n, salt)).padStart(10, '0').slice(-10);
  return { phone: `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`, wid: `+1${digits}` };
}

export interface Person {
  name: string;
  email: string;
  phone: string;
  mid?: string;
  wid?: string;
}

export function person(n: number): Person {
  const first = pick(given, n, 1);
  const title = titles[Math.floor((scramble(n, 8) % 1000) / 4)];
  const { phone, wid } = phoneOf(n, 5);
  return {
    name: `${first} ${surnameOf(n)}${title === undefined ? '' : ` ${title}`}`,
    email: `${first}.${surnameOf(n)}.${n}@${pick(domains, n, 6)}`.toLowerCase(),
    phone,
    ...(n % 2 === 0 && { wid }),
    ...(n % 3 === 0 && { mid: String(scramble(n, 7)) }),
  };
}

/** The same person with another phone number: an upsert of it is a change. `change` makes it another each time. */
export function personMoved(n: number, change: number): Person {
  return { ...person(n), phone: phoneOf(n, 100 + change).phone };
}

export function personAtGmail(n: number): Person {
  const someone = person(n);
  return { ...someone, email: someone.email.replace(/@.*/, '@gmail.com') };
}

/** The part of an email that only this person has: a search with one hit among any number of contacts. */
export function rareWordOf(n: number): string {
  return `${surnameOf(n)}.${n}@`.toLowerCase();
}

/** The word that 40% of all contacts hold. */
export const broadWord = 'gmail';

/** What 40% of all contacts hold too: pieces of the same address, each a question of its own. */
export const broadWords = Array.from({ length: 7 }, (_, i) => '@gmail.com'.slice(0, 4 + i)).flatMap((word) => [
  word,
  word.slice(1),
]);

/**
 * Words by kind. A kind has several, asked in turn, so that an answer that was kept tells little about the next. All are
 * lower case, without white space, and not only digits: a contact holds one when its folded text or its id does.
 */
export const words = {
  /** 4 of a thousand contacts hold each. */
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

/** Letters that stand in most contacts and ids: with a broad word they make a search that is hard for any index. */
export const commonLetters = 'aeilmnorst'.split('');
