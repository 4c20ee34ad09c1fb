// The baseline of a search in SQLite: contentless FTS5 trigrams over the same folded text as the engine's, and the page
// and the exact count of a word in one snapshot. The argument is the database file. Reads commands from its parent:
// fill the file with contacts, finish it under its final name, search it.
import { renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { searchTextOf } from '../../packages/server/src/contacts/search-text.ts';
import { sampleContact } from '../sample-contacts.ts';

type Command =
  | { kind: 'fill'; from: number; count: number }
  | { kind: 'finish'; file: string }
  /** Responds with the duration and the total. */
  | { kind: 'search'; word: string };

const file = process.argv[2] as string;
/**
 * As in the service, the rows of a bot are one range. Row ids are BigInt, because FTS5 ignores bounds that are floats.
 */
const firstRow = 2n ** 32n;

const schema = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE contacts (
    row_id INTEGER PRIMARY KEY, id TEXT, name TEXT, email TEXT, phone TEXT, mid TEXT, wid TEXT, created INTEGER,
    updated INTEGER
  );
  CREATE VIRTUAL TABLE search_index USING fts5 (
    search_text, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
  );`;
const columns = 'id, name, email, phone, mid, wid, created, updated';
const hits = 'search_index WHERE search_index MATCH ? AND search_index.rowid BETWEEN ? AND ?';
const pageSql = `SELECT ${columns} FROM (SELECT search_index.rowid AS row_id FROM ${hits} ORDER BY row_id DESC LIMIT 10)
  AS hit CROSS JOIN contacts ON contacts.row_id = hit.row_id`;
const countSql = `SELECT count(*) AS total FROM ${hits}`;

let filling: DatabaseSync | undefined;

function fill(from: number, count: number): void {
  if (filling === undefined) {
    filling = new DatabaseSync(file);
    filling.exec(schema);
  }
  filling.exec('BEGIN');
  const insertContact = filling.prepare(`INSERT INTO contacts (row_id, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0)`);
  const insertEntry = filling.prepare('INSERT INTO search_index (rowid, search_text) VALUES (?, ?)');
  for (let n = from; n < from + count; n++) {
    const { name, email, phone, mid = '', wid = '' } = sampleContact(n);
    const rowId = firstRow + BigInt(n);
    insertContact.run(rowId, `con_${n}`, name, email, phone, mid, wid);
    insertEntry.run(rowId, searchTextOf({ name, email, phone, mid, wid }));
  }
  filling.exec('COMMIT');
}

function finish(name: string): void {
  filling?.exec("INSERT INTO search_index (search_index) VALUES ('optimize')");
  // In WAL mode, read-only connections would leave -wal and -shm files behind.
  filling?.exec('PRAGMA journal_mode = DELETE');
  filling?.close();
  renameSync(file, name);
}

/** Uses a new connection, which has nothing cached, with the settings of the engine's readers. */
function search(word: string): { elapsedMs: number; total: number } {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    db.exec('PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY');
    const [page, count] = [db.prepare(pageSql), db.prepare(countSql)];
    const values = [`"${word}"`, firstRow, 2n * firstRow - 1n] as const;
    const startedAtMs = performance.now();
    db.exec('BEGIN');
    page.all(...values);
    const { total } = count.get(...values) as { total: number };
    db.exec('COMMIT');
    return { elapsedMs: performance.now() - startedAtMs, total };
  } finally {
    db.close();
  }
}

process.on('message', (command: Command) => {
  if (command.kind === 'search') {
    process.send?.(search(command.word));
    return;
  }
  if (command.kind === 'fill') fill(command.from, command.count);
  else finish(command.file);
  process.send?.({});
});

process.on('disconnect', () => process.exit());
