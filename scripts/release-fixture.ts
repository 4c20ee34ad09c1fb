// Makes the fixture of a release: a small installation of each engine as that release writes it, and what it answers about
// it. Tests of later versions open it (packages/server/test/releases). Run it once for each release:
//   node scripts/release-fixture.ts 0.3.0                                  with the program of this clone
//   node scripts/release-fixture.ts 0.3.0 --roster ./roster-linux-x64      with a release's own file
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { createEmptyDatabase, query } from '../packages/server/test/postgres/databases.ts';
import { type Access, publicUrl, readEverything, requestsTo } from '../packages/server/test/releases/everything.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const { values, positionals } = parseArgs({ options: { roster: { type: 'string' } }, allowPositionals: true });
const [version] = positionals;
if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version)) {
  throw new Error('Name the release: node scripts/release-fixture.ts 0.3.0');
}
const command =
  values.roster === undefined ? [process.execPath, join(root, 'packages/cli/roster.mjs')] : [values.roster];

const contactCount = 60;
const names = ['Jane Doe', 'Zoë Müller', 'Łukasz Kowalski', '李小龍', "O'Brien, Pat", 'Ana María'];

/** Runs the release in a folder of its own, with nothing of this environment but the path. */
function run(folder: string, env: Record<string, string>, ...args: string[]): ChildProcess {
  const [program = '', ...before] = command;
  return spawn(program, [...before, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ROSTER_PORT: '0', ROSTER_PUBLIC_URL: publicUrl, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function outputUntil(child: ChildProcess, pattern: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (pattern.test(output)) resolve(output);
  });
  child.once('close', () => reject(new Error(`The release ended early:\n${output}`)));
  return promise;
}

/** Starts the release on empty data, fills it over HTTP, and reads it back. `afterwards` runs while it still serves. */
async function fill(env: Record<string, string>, afterwards: (folder: string) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'roster-fixture-'));
  const server = run(folder, env, 'serve');
  try {
    const output = await outputUntil(server, /Roster listens on \S+ .*\n/);
    const found = (pattern: RegExp) => pattern.exec(output)?.[1] ?? '';
    const url = found(/Roster listens on (\S+) /);
    const access = await makeData(
      url,
      found(/bot +(bot_\w+)/),
      found(/secret +(rst_\w+)/),
      found(/#\/setup\/([\w-]+)/),
    );
    const everything = await readEverything(url, access);
    await afterwards(folder);
    // Invitations and tokens expire: whoever opens this later does so at this time.
    return { readAt: new Date().toISOString(), access, everything };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(folder, { recursive: true });
  }
}

async function makeData(url: string, botId: string, first: string, code: string): Promise<Access> {
  const send = requestsTo(url);
  const need = async (...args: Parameters<typeof send>) => {
    const reply = await send(...args);
    if (reply.status >= 300) throw new Error(`${args[0]} ${args[1]}: ${reply.status} ${JSON.stringify(reply.json)}`);
    return reply;
  };
  const owner = { email: 'owner@example.com', password: 'a fixture needs no better one' };
  const account = { ...owner, code, organizationName: 'Acme', name: 'Olivia' };
  const origin = { origin: publicUrl };
  const signedIn = await need('POST', 'account/setup', { body: account, headers: origin });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const headers = { ...origin, cookie, 'roster-csrf': signedIn.json.data.csrfToken };
  const asOwner = async (method: string, path: string, body?: unknown) =>
    (await need(method, `account/${path}`, { body, headers })).json?.data;

  const permissions = ['contacts:read', 'contacts:write', 'tokens:write', 'account:read', 'account:write'];
  const { secret } = await asOwner('POST', 'secrets', { name: 'Everything', permissions });
  const limited = await asOwner('POST', 'secrets', {
    name: 'Limited',
    permissions: ['contacts:read'],
    bots: [botId],
    expiresAt: '2100-01-01T00:00:00Z',
  });
  const revoked = await asOwner('POST', 'secrets', { name: 'Revoked' });
  await asOwner('DELETE', `secrets/${revoked.id}`);
  const support = await asOwner('POST', 'bots', {
    name: 'Support',
    greeting: 'Hello 👋',
    color: '#123456',
    position: 'left',
    allowedOrigins: ['https://example.com'],
  });
  const invited = await asOwner('POST', 'invitations', { email: 'viewer@example.com', role: 'viewer' });
  const token = invited.link.split('/').at(-1);
  const joining = { token, name: 'Victor', password: 'another fixture password' };
  await need('POST', 'account/invitations/accept', { body: joining, headers: origin });
  await asOwner('POST', 'invitations', { email: 'open@example.com', role: 'member' });

  const ofBot = async (method: string, id: string, path: string, body?: unknown) =>
    (await need(method, `bots/${id}/${path}`, { token: secret, body })).json;
  const types = { plan: 'text', seats: 'number', trial: 'boolean', renewal: 'date' };
  for (const [key, type] of Object.entries(types)) {
    await ofBot('PUT', botId, `attributes/${key}`, { type, label: `The ${key}`, description: '' });
  }
  const contacts = Array.from({ length: contactCount }, (_, index) => ({
    name: names[index % names.length],
    email: `Person${index}@example.com`,
    ...(index % 2 === 0 && { phone: `+1555010${String(index).padStart(4, '0')}` }),
    ...(index % 5 === 0 && { mid: `m-${index}` }),
    ...(index % 7 === 0 && { wid: `+4479460${String(index).padStart(5, '0')}` }),
    attributes: {
      plan: ['free', 'pro', 'Größe'][index % 3],
      ...(index % 2 === 0 && { seats: index * 1.5 - 10 }),
      ...(index % 3 === 0 && { trial: index % 2 === 0 }),
      ...(index % 4 === 0 && { renewal: `2027-0${(index % 9) + 1}-15` }),
    },
    tags: [...(index % 3 === 0 ? ['vip'] : []), ...(index % 4 === 0 ? ['Beta tester'] : [])],
  }));
  await ofBot('PATCH', botId, 'contacts', { data: contacts });
  await ofBot('PUT', support.id, 'contacts', { name: 'Only Here', email: 'person1@example.com' });
  const { data: listed } = await ofBot('GET', botId, 'contacts?limit=10');
  await ofBot('PATCH', botId, `contacts/${listed[0].id}`, { name: 'Changed Later', removeTags: ['vip'] });
  await ofBot('DELETE', botId, `contacts/${listed[1].id}`);
  await ofBot('PUT', botId, 'segments/large', {
    label: 'Large accounts',
    filter: { tag: ['vip'], attributes: { plan: ['free', 'Größe'] } },
    sort: 'name',
  });
  const tokens: string[] = [];
  for (const { id } of listed.slice(2, 6)) {
    const made = await ofBot('POST', botId, 'auth/contact', { id });
    tokens.push(made.token ?? made.data.token);
  }
  const revokedContactToken = tokens.pop() ?? '';
  await ofBot('DELETE', botId, `auth/contacts/${revokedContactToken}`);
  // The first secret, of the operator, is used too.
  await need('GET', `bots/${botId}/contacts?limit=1`, { token: first });
  return {
    secret,
    limitedSecret: limited.secret,
    revokedSecret: revoked.secret,
    botIds: [botId, support.id],
    contactTokens: tokens,
    revokedContactToken,
    owner,
  };
}

/** Every row as an INSERT, for a database that the migrations of the release have made. */
async function dumpRows(url: string): Promise<string> {
  const columns = (await query(
    url,
    `SELECT table_name AS "table", array_agg(column_name::text ORDER BY ordinal_position) AS names
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
      GROUP BY table_name ORDER BY table_name`,
  )) as { table: string; names: string[] }[];
  const references = (await query(
    url,
    `SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint
      WHERE contype = 'f' AND conrelid <> confrelid`,
  )) as { from: string; to: string }[];
  const depthOf = (table: string): number =>
    1 + Math.max(0, ...references.filter(({ from }) => from === table).map(({ to }) => depthOf(to)));
  const lines = [`TRUNCATE ${columns.map(({ table }) => `"${table}"`).join(', ')};`];
  // A row comes after those that it refers to.
  for (const { table, names } of columns.toSorted((a, b) => depthOf(a.table) - depthOf(b.table))) {
    const quoted = names.map((name) => `"${name}"`);
    const row = quoted.map((name) => `quote_nullable(${name}::text)`).join(" || ', ' || ");
    const rows = (await query(url, `SELECT ${row} AS row FROM "${table}" ORDER BY 1`)) as { row: string }[];
    for (const { row } of rows) {
      lines.push(`INSERT INTO "${table}" (${quoted.join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${row});`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const target = join(root, 'packages/server/test/releases', version);
mkdirSync(target, { recursive: true });
const keep = (name: string, content: string | Buffer) => writeFileSync(join(target, name), content);
const asJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const sqlite = await fill({}, async (folder) => {
  const file = join(folder, 'backup.db');
  const backup = run(folder, {}, 'backup', file);
  backup.stdout?.resume();
  const [code] = await once(backup, 'exit');
  if (code !== 0) throw new Error(`The backup failed with ${code}.`);
  keep('sqlite.db.gz', gzipSync(readFileSync(file), { level: 9 }));
});
keep('sqlite.json', asJson(sqlite));

const { url, drop } = await createEmptyDatabase();
let schemaVersion = 0;
const postgres = await fill({ DATABASE_URL: url }, async () => {
  const [row] = (await query(url, 'SELECT schema_version AS version FROM installation')) as { version: number }[];
  schemaVersion = row?.version ?? 0;
  keep('postgres.sql.gz', gzipSync(await dumpRows(url), { level: 9 }));
});
await drop();
keep('postgres.json', asJson({ schemaVersion, ...postgres }));
console.log(`Wrote ${target}`);
