// A run of the feed test: writers change contacts on all servers, readers follow the feed, a mirror keeps a copy, and servers and mirror
// are killed and started again meanwhile. In the end all that they saw is compared.
import { join } from 'node:path';
import { type ContactEvent, type Fetch, Roster } from '@roster/client';
import { Random } from '../../packages/server/test/conformance/random.ts';
import type { Home } from '../../packages/server/test/process/server-process.ts';
import { killMirror, killServers, type Load } from './kills.ts';
import { type ExportedContact, Ledger } from './ledger.ts';
import { MirrorProcess } from './mirror-process.ts';
import { untilWithProgress } from './progress.ts';
import { Readers } from './readers.ts';
import { placeholderUrl, Servers } from './servers.ts';
import { Writer } from './writer.ts';

export interface FeedTestOptions {
  servers: number;
  /** The settings of the servers. */
  env: Record<string, string>;
  /** Requests that change something. */
  changes: number;
  /** Of servers. */
  kills: number;
  mirrorKills: number;
  writers: number;
  seed: number;
  onProgress(line: string): void;
}

export interface FeedTestResult {
  problems: string[];
  summary: string;
}

/** Clients that are to find a server again soon. */
const retryDelayMs = 20;
/** No request hangs for so long, not even on a busy machine. */
const timeoutMs = 300_000;
const progressEveryMs = 10_000;

export async function runFeedTest(
  home: Home,
  options: FeedTestOptions,
  onEnd: (cleanUp: () => unknown) => void,
): Promise<FeedTestResult> {
  const { seed, changes, env } = options;
  const servers = await Servers.start(home, options.servers, env, new Random(seed));
  const { botId, secret } = servers.firstRun;
  const clientOf = (fetch: Fetch, maxRetries = Number.MAX_SAFE_INTEGER) =>
    new Roster({ baseUrl: placeholderUrl, botId, secret, fetch, maxRetries, retryDelayMs, timeoutMs });
  const url = await servers.startBalancer(onEnd);
  const mirror = new MirrorProcess({ url, botId, secret, path: join(home.folder, 'contacts.db') });
  onEnd(() => mirror.kill());
  mirror.start();
  const readers = new Readers(servers, clientOf);

  const ledger = new Ledger();
  const writers = Array.from(
    { length: options.writers },
    (_, number) => new Writer(number, clientOf(servers.any(), 0), ledger, seed + 1 + number),
  );
  let areKillsOver = false;
  const isOver = () => areKillsOver && ledger.changes >= changes;
  // Whenever something changed on all contacts, the mirror reads all of them: what it missed before would not show in the end.
  const mayChangeAll = () => ledger.changes < changes / 2;
  const writing = Promise.all(writers.map((writer) => writer.run({ isOver, mayChangeAll })));
  const load: Load = {
    changesInAll: changes,
    get changes() {
      return ledger.changes;
    },
    until: (what, isTrue) => Promise.race([untilWithProgress(what, isTrue, () => ledger.changes), writing]),
  };

  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  const progress = setInterval(() => {
    options.onProgress(
      `${seconds()} s: ${ledger.changes} changes; kills: ${servers.kills} of servers, ${mirror.kills} of the mirror`,
    );
  }, progressEveryMs);
  await Promise.all([
    killServers(servers, options.kills, load, new Random(seed - 2)),
    killMirror(mirror, options.mirrorKills, load, new Random(seed - 1)),
  ]);
  areKillsOver = true;
  await writing;
  clearInterval(progress);
  const written = `${ledger.changes} changes (${ledger.uncertainRequests} more without an answer) in ${seconds()} s`;

  const roster = clientOf(servers.any());
  const { feed, end } = await readWholeFeed(roster);
  const exported: ExportedContact[] = [];
  for await (const contact of roster.contacts.exportAll({ include: ['attributes', 'tags'] })) exported.push(contact);
  const problems = ledger.check(feed, exported);
  const byId = new Map(exported.map((contact) => [contact.id, contact]));
  problems.push(...writers.flatMap((writer) => writer.check(byId)));
  if (new Set(feed.map(({ id }) => id)).size < feed.length) problems.push('an event is in the feed twice');
  problems.push(...(await readers.check(feed)));

  const isMirrorDone = () => mirror.position() === end || mirror.problems.length > 0;
  await untilWithProgress('the mirror to reach the end', isMirrorDone, () => mirror.position());
  await mirror.stop();
  problems.push(...mirror.problems, ...differences(exported, mirror.contacts()), ...(await servers.stop()));
  const summary =
    `${written}, ${feed.length} events, ${readers.count} readers, ${exported.length} contacts; ` +
    `kills: ${servers.kills} of servers, ${mirror.kills} of the mirror`;
  return { problems, summary };
}

async function readWholeFeed(roster: Roster): Promise<{ feed: ContactEvent[]; end: string }> {
  const feed: ContactEvent[] = [];
  for (let after: string | undefined; ; ) {
    const { data, next } = await roster.events.list({ after, limit: 1000 });
    if (data.length === 0) return { feed, end: next };
    feed.push(...data);
    after = next;
  }
}

function differences<Item extends { id: string }>(source: readonly Item[], copy: readonly Item[]): string[] {
  const texts = (items: readonly Item[]) => new Map(items.map((item) => [item.id, JSON.stringify(item)]));
  const [wanted, found] = [texts(source), texts(copy)];
  const ids = [...new Set([...wanted.keys(), ...found.keys()])].filter((id) => wanted.get(id) !== found.get(id));
  return ids.map((id) => `the mirror has ${found.get(id) ?? `no ${id}`}, the source ${wanted.get(id) ?? 'does not'}`);
}
