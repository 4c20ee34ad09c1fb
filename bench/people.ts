// Made-up contacts, the same ones in every run: number n is always the same person.

const given =
  'James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth José Barbara Richard Susan Zoë Jessica Thomas Sarah Łukasz Karen Ngozi Wei Fatima Ivan Yuki Aarav Chloé Mehmet Olga Pedro'.split(
    ' ',
  );
const start = 'Bar Cor Dun Fal Gar Hol Kir Lan Mor Nor Pel Quin Rad Sel Tor Ul Ven Wal Yar Zim'.split(' ');
const middle = 'a e i o u an en in on ar er or'.split(' ');
const end = 'berg dale field ford ham heim land ley man mont nov ridge sen sky son stein ton vik well wood'.split(' ');
const domains = 'gmail.com gmail.com yahoo.com outlook.com example.com example.org mail.test'.split(' ');

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

export function person(n: number) {
  const first = pick(given, n, 1);
  const digits = String(scramble(n, 5)).padStart(10, '0').slice(-10);
  return {
    name: `${first} ${surnameOf(n)}`,
    email: `${first}.${surnameOf(n)}.${n}@${pick(domains, n, 6)}`.toLowerCase(),
    phone: `+1 (${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`,
    ...(n % 2 === 0 && { wid: `+1${digits}` }),
    ...(n % 3 === 0 && { mid: String(scramble(n, 7)) }),
  };
}

/** The part of an email that only this person has: a search with one hit among any number of contacts. */
export function rareWordOf(n: number): string {
  return `${surnameOf(n)}.${n}@`.toLowerCase();
}
