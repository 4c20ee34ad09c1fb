// The baseline of upserts: the engine's own statements and index in a plain loop, without HTTP, threads or checks.
// Reads commands from its parent: fill the file, then measure for some seconds, as often as asked.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emailKey } from '@roster/contract';
import { openForWriting, prepareDatabase } from '../packages/server/src/store/sqlite/database.ts';
import { prepareIndexUpkeep } from '../packages/server/src/store/sqlite/index-upkeep.ts';
import { prepareWrites } from '../packages/server/src/store/sqlite/writes.ts';
import { person } from './people.ts';

export type Command = { kind: 'fill'; contacts: number } | { kind: 'measure'; seconds: number };

const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
const path = join(folder, 'roster.db');
prepareDatabase(path);
const db = openForWriting(path);
const { writes, saveBots } = prepareWrites(db, { indexThreshold: 10_000 });
const upkeep = prepareIndexUpkeep(db);
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

function upsert(from: number, count: number): void {
  const items = Array.from({ length: count }, (_, i) => {
    const { phone, mid = '', wid = '', ...rest } = person(from + i);
    return { ...rest, phone, mid, wid, emailKey: emailKey(rest.email) };
  });
  db.exec('BEGIN IMMEDIATE');
  writes.upsertContacts('bot', items, Date.now());
  saveBots();
  db.exec('COMMIT');
  if (upkeep.isDue()) upkeep.indexSlice();
}

process.on('message', (command: Command) => {
  if (command.kind === 'fill') {
    for (; filled < command.contacts; filled += 1000) upsert(filled, 1000);
    process.send?.({ done: filled });
    return;
  }
  const startedAtMs = performance.now();
  let upserts = 0;
  for (; performance.now() < startedAtMs + command.seconds * 1000; upserts++) {
    upsert(filled - 500, 1000);
    filled += 500;
  }
  process.send?.({ perSecond: upserts / ((performance.now() - startedAtMs) / 1000) });
});

process.on('disconnect', () => {
  db.close();
  rmSync(folder, { recursive: true });
  process.exit();
});
