// The baseline of writing many contacts: the engine's own statements and index in a plain loop, without HTTP, threads
// or checks. Its argument is the file to write. Reads commands from its parent.
import { emailKey } from '@roster/contract';
import { openForWriting, prepareDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { prepareIndexMaintenance } from '../../packages/server/src/store/sqlite/index-maintenance.ts';
import { prepareWrites } from '../../packages/server/src/store/sqlite/writes.ts';
import { type Person, person, personMoved } from '../people.ts';

export type Command =
  /** Writes this many new people, so many in each transaction. Answers how long it took. */
  | { kind: 'load'; contacts: number; batch: number }
  /** Upserts of 1000, half of them changes of the newest people, for some seconds. Answers how many a second. */
  | { kind: 'measure'; seconds: number };

const path = process.argv[2] as string;
prepareDatabase(path);
const db = openForWriting(path);
const { writes, saveBots } = prepareWrites(db, { indexThreshold: 10_000 });
const upkeep = prepareIndexMaintenance(db);
writes.createOrganization({ id: 'org', name: 'Bench', createdAtMs: 0 });
writes.createBot({
  id: 'bot',
  organizationId: 'org',
  name: 'Bench',
  greeting: '',
  color: '#000000',
  position: 'right',
  allowedOrigins: [],
  createdAtMs: 0,
});

let filled = 0;
let changes = 0;

function upsert(people: readonly Person[]): void {
  const items = people.map(({ name, email, phone, mid = '', wid = '' }) => {
    return { name, email, phone, mid, wid, emailKey: emailKey(email) };
  });
  db.exec('BEGIN IMMEDIATE');
  writes.upsertContacts('bot', items, Date.now());
  saveBots();
  db.exec('COMMIT');
  if (upkeep.isDue()) upkeep.indexSlice();
}

process.on('message', (command: Command) => {
  const startedAtMs = performance.now();
  if (command.kind === 'load') {
    const end = filled + command.contacts;
    while (filled < end) {
      const count = Math.min(command.batch, end - filled);
      upsert(Array.from({ length: count }, (_, i) => person(filled + i)));
      filled += count;
    }
    process.send?.({ elapsedMs: performance.now() - startedAtMs });
    return;
  }
  let upserts = 0;
  for (; performance.now() < startedAtMs + command.seconds * 1000; upserts++) {
    const known = Math.min(500, filled);
    const change = changes++;
    upsert(
      Array.from({ length: 1000 }, (_, i) =>
        i < known ? personMoved(filled - known + i, change) : person(filled - known + i),
      ),
    );
    filled += 1000 - known;
  }
  process.send?.({ perSecond: upserts / ((performance.now() - startedAtMs) / 1000) });
});

process.on('disconnect', () => {
  db.close();
  process.exit();
});
