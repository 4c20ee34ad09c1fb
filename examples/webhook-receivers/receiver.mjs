// Receives webhooks of Roster, verifies them, and keeps a copy of the contacts in SQLite, which stands for your database.
// Node 22.13 or later: WEBHOOK_SECRET=whsec_… node receiver.mjs
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { verifyWebhook, WebhookVerificationError } from '@roster/client';

const { WEBHOOK_SECRET, PORT = '8000' } = process.env;
const maxBytes = 1024 * 1024;

const db = new DatabaseSync('copy.db');
db.exec(`
  CREATE TABLE IF NOT EXISTS handled (webhook_id TEXT PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS contacts (id TEXT PRIMARY KEY, version TEXT, contact TEXT);
`);
const remember = db.prepare('INSERT OR IGNORE INTO handled VALUES (?)');
// A late message must not replace a newer contact, nor bring back a deleted one.
const store = db.prepare(`
  INSERT INTO contacts VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, contact = excluded.contact
  WHERE excluded.version >= contacts.version
`);

function handle(webhookId, { event, contact }) {
  db.exec('BEGIN IMMEDIATE');
  try {
    if (remember.run(webhookId).changes === 1) {
      if (contact !== null) store.run(contact.id, contact.updatedAt, JSON.stringify(contact));
      // As text, this version is later than any time.
      else if (event.contactId !== null) store.run(event.contactId, 'deleted', null);
    }
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

async function respond(request) {
  const chunks = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  const { data } = await verifyWebhook(Buffer.concat(chunks), request.headers, WEBHOOK_SECRET);
  handle(request.headers['webhook-id'], data);
  return 204;
}

createServer(async (request, response) => {
  const status = await respond(request).catch((error) => {
    console.error(error.message);
    // After a 500, Roster sends the message again.
    return error instanceof WebhookVerificationError ? 400 : 500;
  });
  response.writeHead(status).end();
}).listen(Number(PORT), '127.0.0.1');
