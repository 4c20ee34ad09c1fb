// The baseline of bulk writes in SQLite: the engine's own statements and index in a plain loop, without HTTP, threads
// or validation. The argument is the database file. Reads commands from its parent.
import { emailKey } from '@roster/contract';
import { openForWriting, prepareDatabase } from '../../packages/server/src/store/sqlite/database.ts';
import { prepareMaintenance } from '../../packages/server/src/store/sqlite/search/maintenance.ts';
import { prepareWrites } from '../../packages/server/src/store/sqlite/writes.ts';
import { changedContact, type SampleContact, sampleContact } from '../sample-contacts.ts';

export type Command =
  /** Creates `contacts` contacts in transactions of `batch`. Responds with the duration. */
  | { kind: 'load'; contacts: number; batch: number }
  /** Runs upserts of 1000, half of them changes of the newest contacts, for some seconds. Responds with their rate. */
  | { kind: 'measure'; seconds: number };

const path = process.argv[2] as string;
prepareDatabase(path);
const db = openForWriting(path);
const { writes, beforeWrite, beforeCommit } = prepareWrites(db, { indexThreshold: 10_000 });
const maintenance = prepareMaintenance(db);
writes.createOrganization({ id: 'org', name: 'Bench', createdAtMs: 0 });
writes.createBot(
  {
    id: 'bot',
    organizationId: 'org',
    name: 'Bench',
    greeting: '',
    color: '#000000',
    position: 'right',
    allowedOrigins: [],
    channels: [],
    greetings: {},
    tokenMaxSeconds: 31_536_000,
    createdAtMs: 0,
  },
  undefined,
);

let filled = 0;
let changes = 0;

function upsert(contacts: readonly SampleContact[]): void {
  const items = contacts.map(({ name, email, phone, mid = '', wid = '' }) => {
    return { name, email, phone, mid, wid, emailKey: emailKey(email) };
  });
  const context = { nowMs: Date.now(), audit: undefined, event: { kind: 'operator', id: null } } as const;
  db.exec('BEGIN IMMEDIATE');
  beforeWrite(context);
  writes.upsertContacts('bot', items, context);
  beforeCommit();
  db.exec('COMMIT');
  maintenance.afterCommit(items.length);
}

process.on('message', (command: Command) => {
  const startedAtMs = performance.now();
  if (command.kind === 'load') {
    const end = filled + command.contacts;
    while (filled < end) {
      const count = Math.min(command.batch, end - filled);
      upsert(Array.from({ length: count }, (_, i) => sampleContact(filled + i)));
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
        i < known ? changedContact(filled - known + i, change) : sampleContact(filled - known + i),
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
