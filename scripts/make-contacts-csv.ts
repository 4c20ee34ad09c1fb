// Writes a CSV of contacts to stdout: node scripts/make-contacts-csv.ts 1000000 > contacts.csv
// The same number gives the same file, byte for byte, on every machine.
import { once } from 'node:events';

const firstNames = [
  '=Cmd',
  '+Plus',
  'José',
  'Łukasz',
  'Søren',
  'Anaïs',
  'Jane',
  'Wei',
  'Olga',
  'Ravi',
  'Zoë',
  'Noah',
  "'t Anna",
  'Björn',
];
const lastNames = [
  'Núñez',
  'Doe',
  "O'Neil",
  'van der Berg',
  'Müller',
  '王',
  'Иванов',
  'Smith "Smithy"',
  '-Dash',
  '=Sum',
];
const rowsPerWrite = 5000;

const count = Number(process.argv[2] ?? 1000);
if (!Number.isSafeInteger(count) || count < 0) {
  console.error('Usage: node scripts/make-contacts-csv.ts ROWS > contacts.csv');
  process.exit(2);
}

const quote = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** One step of the pseudo-random generator mulberry32, so that consecutive rows have nothing in common. */
function scatter(n: number): number {
  let mixed = (n + 0x6d2b79f5) | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return (mixed ^ (mixed >>> 14)) >>> 0;
}

function rowOf(n: number): string {
  const chance = scatter(n);
  const name = `${firstNames[chance % firstNames.length]} ${lastNames[(chance >>> 4) % lastNames.length]}`;
  const digits = String(10_000_000 + (chance % 90_000_000));
  const phone = chance % 3 === 0 ? '' : `+49 ${digits.slice(0, 3)} ${digits.slice(3)}`;
  const wid = chance % 5 === 0 ? `+49${digits}` : '';
  const mid = chance % 7 === 0 ? String(chance) : '';
  return [name, `person${n}@example${chance % 100}.com`, phone, wid, mid].map(quote).join(',');
}

process.stdout.on('error', () => process.exit(0));
process.stdout.write('Full Name,E-Mail,Phone,WhatsApp,Messenger ID\n');
for (let from = 0; from < count; from += rowsPerWrite) {
  const rows = Array.from({ length: Math.min(rowsPerWrite, count - from) }, (_, n) => rowOf(from + n));
  if (!process.stdout.write(`${rows.join('\n')}\n`)) await once(process.stdout, 'drain');
}
