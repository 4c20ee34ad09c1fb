// `npm run example:mirror`: starts a temporary Roster server, whose data is deleted at the end, and the mirror of its contacts.
// With ROSTER_URL, ROSTER_BOT and ROSTER_SECRET it copies the contacts of a running server into MIRROR_FILE, contacts.db by default.
import { join } from 'node:path';
import { Roster } from '@roster/client';
import { startTemporaryRoster } from '../temporary-roster.ts';
import { ContactCopy } from './contact-copy.ts';
import { mirrorContacts } from './mirror.ts';

const { ROSTER_URL, ROSTER_BOT, ROSTER_SECRET, MIRROR_FILE } = process.env;
const cleanUps: (() => unknown)[] = [];
const stop = new AbortController();
process.on('SIGINT', () => stop.abort());
process.on('SIGTERM', () => stop.abort());

try {
  const access =
    ROSTER_URL && ROSTER_BOT && ROSTER_SECRET
      ? { url: ROSTER_URL, botId: ROSTER_BOT, secret: ROSTER_SECRET, folder: undefined }
      : await startTemporaryRoster((cleanUp) => cleanUps.unshift(cleanUp));
  const { url, botId, secret, folder } = access;
  const path = MIRROR_FILE ?? join(folder ?? '', 'contacts.db');
  const copy = new ContactCopy(path);
  cleanUps.unshift(() => copy.close());
  console.log(`The contacts of ${botId} at ${url} are copied to ${path}. Ctrl+C ends it.`);
  if (folder !== undefined) {
    console.log(`Change some:
  curl -X PATCH ${url}/v1/bots/${botId}/contacts -H 'Authorization: Bearer ${secret}' \\
    -H 'Content-Type: application/json' -d '{"data":[{"name":"Jane Doe","email":"jane@example.com","tags":["vip"]}]}'`);
  }
  const roster = new Roster({ baseUrl: url, botId, secret });
  await mirrorContacts(roster, copy, {
    signal: stop.signal,
    onChange: (change) => console.log(`${new Date().toISOString()} ${change}`),
  });
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  for (const cleanUp of cleanUps) await cleanUp();
}
