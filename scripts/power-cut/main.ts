// npm run power-cut: the real server writes to a recorded disk. Then the power fails at many moments of that recording: the disk is
// rebuilt with what was flushed until then and a random part of what was not, and the server must start on it, with a sound
// file and every write that it had answered.

import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import type { FirstRun } from '../../packages/server/src/process/first-run.ts';
import { Random } from '../../packages/server/test/conformance/random.ts';
import { makeHome, type ServerProcess } from '../../packages/server/test/process/server-process.ts';
import { UnexpectedAnswer, Writer } from '../crash-load.ts';
import { format, makeImage, mountImage, unmount } from '../disks.ts';
import { checkSearch, checkTotal, exportAll, type Send, senderTo } from '../first-bot.ts';
import { canMountImages, enterOwnMounts } from '../own-mounts.ts';
import { Replay } from './block-log.ts';
import { RecordedDisk } from './recorded-disk.ts';
import { WriteHistory } from './write-history.ts';

const { values: options } = parseArgs({
  options: {
    cuts: { type: 'string', default: '100' },
    seconds: { type: 'string', default: '20' },
    connections: { type: 'string', default: '8' },
    // More than indexThreshold, so that the search index is maintained too.
    contacts: { type: 'string', default: '11000' },
    seed: { type: 'string' },
    'lying-disk': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(`npm run power-cut -- [--cuts 100] [--seconds 20] [--connections 8] [--contacts 11000] [--seed N] [--lying-disk]

Needs Linux, root, loop devices, FUSE and mkfs.ext4. --seconds is the time of the write load that is recorded.
--lying-disk: the disk also loses the last blocks that were flushed. Then the test must find lost writes, and fail.`);
  process.exit(0);
}
const counts = {
  cuts: wholeNumber('cuts'),
  seconds: wholeNumber('seconds'),
  connections: wholeNumber('connections'),
  contacts: wholeNumber('contacts'),
};
const seed = options.seed === undefined ? randomInt(2 ** 31) : wholeNumber('seed');

/** Half of the disk is for the write-ahead log and what the file system itself writes. */
const diskMiB = 256;
/** A lying disk shows the state of so many answers before: a few commits. */
const forgottenAnswers = 30;
/** However slow the machine is: enough to forget some, and to choose moments among the others. */
const answersMin = 10 * forgottenAnswers;

if (!canMountImages() || !existsSync('/dev/fuse') || !enterOwnMounts()) {
  fail('This needs Linux, root, loop devices, FUSE and mkfs.ext4.');
}

const cleanUps: (() => unknown)[] = [];
try {
  process.exitCode = (await run()) ? 0 : 1;
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp();
}

async function run(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-power-cut-'));
  const home = await makeHome({ after: (cleanUp) => cleanUps.push(cleanUp as () => unknown) });
  const place: Place = {
    folder,
    mounted: join(folder, 'mounted'),
    start: () => home.start({ env: { ROSTER_DATA_DIR: dataDirOf(place) } }),
  };
  const recording = await record(place);
  const lost = await cutAll(place, recording);
  if (lost === 0 || options['lying-disk']) await rm(folder, { recursive: true });
  else console.log(`The recording is in ${folder}.`);
  return lost === 0;
}

interface Place {
  /** For images and the log. */
  folder: string;
  /** Where disks are mounted. */
  mounted: string;
  start(): Promise<ServerProcess>;
}

interface Recording {
  firstRun: FirstRun;
  histories: WriteHistory[];
  logPath: string;
  /** From where on the service is set up. */
  begin: number;
  end: number;
}

async function record({ folder, mounted, start }: Place): Promise<Recording> {
  const imagePath = join(folder, 'disk.img');
  await makeImage(imagePath, diskMiB);
  const disk = await RecordedDisk.start(imagePath, join(folder, 'disk'), join(folder, 'log'));
  await format(disk.path);
  await mountImage(disk.path, mounted);

  const server = await start();
  const { firstRun } = server;
  if (firstRun === undefined) throw new Error(`no first run was printed:\n${server.output.stdout}`);
  const begin = disk.position;
  const histories = Array.from({ length: counts.connections }, () => new WriteHistory(() => disk.position));
  const perWriter = Math.ceil(counts.contacts / counts.connections);
  const writers = histories.map(
    ({ observe }, i) => new Writer(i, Math.ceil(perWriter * 1.2), { seed: seed + i, observe }),
  );
  const send = withoutRefusals(senderTo(server, firstRun));
  await Promise.all(writers.map((writer) => writer.fill(send, perWriter)));

  const endMs = performance.now() + counts.seconds * 1000;
  const areEnough = () => histories.reduce((sum, { answers }) => sum + answers.length, 0) >= answersMin;
  await Promise.all(writers.map((writer) => writer.write(send, () => performance.now() > endMs && areEnough())));
  const end = disk.position;
  const answered = writers.reduce((sum, { answeredWrites }) => sum + answeredWrites, 0);
  const mebibytes = Math.round((end - begin) / 1024 ** 2);
  console.log(`seed ${seed}: recorded ${answered} answered writes, ${mebibytes} MiB of blocks`);
  await server.stop('SIGKILL');
  await unmount(mounted);
  await disk.stop();
  return { firstRun, histories, logPath: disk.logPath, begin, end };
}

async function cutAll(place: Place, recording: Recording): Promise<number> {
  const { folder } = place;
  const random = new Random(seed);
  const flushedPath = join(folder, 'flushed.img');
  await makeImage(flushedPath, diskMiB);
  const replay = new Replay(recording.logPath, flushedPath);
  let damaged = 0;
  let unflushed = 0;
  let torn = 0;
  for (const [index, { position, isToFlush, promisedAt }] of momentsOf(recording, random).entries()) {
    const reached = replay.advance(position, isToFlush);
    const cutAt = promisedAt ?? reached;
    const copyPath = join(folder, 'cut.img');
    // Copies no holes.
    execFileSync('cp', [flushedPath, copyPath]);
    const cut = replay.cut(copyPath, random);
    const { problems, summary } = await checkCut(place, copyPath, recording, cutAt);
    unflushed += cut.unflushedWrites;
    torn += cut.tornWrites;
    console.log(
      `cut ${index + 1}/${counts.cuts}: at ${cutAt}, after ${cut.flushes} flushes; of ${cut.unflushedWrites} unflushed writes ` +
        `${cut.keptWrites} kept, ${cut.tornWrites} torn; ${summary}: ${problems.length === 0 ? 'ok' : `${problems.length} PROBLEMS`}`,
    );
    for (const problem of problems.slice(0, 10)) console.log(`  ${problem}`);
    if (problems.length === 0) continue;
    damaged++;
    await rename(copyPath, join(folder, `cut-${index + 1}.img`));
  }
  const verdict = damaged === 0 ? 'nothing was lost' : `PROBLEMS AFTER ${damaged}`;
  console.log(`${counts.cuts} power cuts, ${unflushed} unflushed block writes, ${torn} of them torn: ${verdict}`);
  return damaged;
}

interface Moment {
  position: number;
  isToFlush?: boolean;
  /** What was answered until then must be there. Left out: until the cut. */
  promisedAt?: number;
}

function momentsOf({ histories, begin, end }: Recording, random: Random): Moment[] {
  const answers = histories.flatMap((history) => history.answers).sort((a, b) => a - b);
  const answered = () => random.below(answers.length - forgottenAnswers) + forgottenAnswers;
  const moment = (index: number): Moment => {
    if (options['lying-disk']) {
      const last = answered();
      return { position: answers[last - forgottenAnswers] as number, promisedAt: answers[last] as number };
    }
    // A third each: when a write was answered, so only just flushed; before a flush; any.
    if (index % 3 === 0) return { position: random.pick(answers) };
    return { position: begin + random.below(end - begin), isToFlush: index % 3 === 1 };
  };
  return Array.from({ length: counts.cuts }, (_, index) => moment(index)).sort((a, b) => a.position - b.position);
}

/** Starts the server on the disk as the cut has left it. */
async function checkCut(place: Place, image: string, { firstRun, histories }: Recording, cutAt: number) {
  let server: ServerProcess | undefined;
  await mountImage(image, place.mounted);
  try {
    const startedMs = performance.now();
    server = await place.start();
    const tookMs = Math.round(performance.now() - startedMs);
    const send = senderTo(server, firstRun);
    const stored = await exportAll(send);
    const problems = [...(await checkTotal(send, stored.size)), ...(await checkSearch(send, stored))];
    const contacts = stored.size;
    let answered = 0;
    for (const history of histories) {
      const found = history.check(stored, cutAt);
      problems.push(...found.problems);
      answered += found.answered;
    }
    for (const { email } of stored.values()) problems.push(`nobody had written ${email}`);
    const { code } = await server.stop();
    if (code !== 0) problems.push(`the server ended with ${code}`);
    problems.push(...checkIntegrity(dataDirOf(place)));
    return { problems, summary: `${answered} answered writes, ${contacts} contacts, start ${tookMs} ms` };
  } catch (error) {
    return { problems: [(error as Error).message], summary: 'not checked to the end' };
  } finally {
    await server?.stop('SIGKILL');
    await unmount(place.mounted);
  }
}

function checkIntegrity(dataDir: string): string[] {
  const db = new DatabaseSync(join(dataDir, 'roster.db'));
  const rows = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  db.close();
  return rows.map(({ integrity_check }) => integrity_check).filter((verdict) => verdict !== 'ok');
}

/** Nothing is refused here, so a refusal is a failure: the histories know answered writes and those in flight alone. */
function withoutRefusals(send: Send): Send {
  return async (method, path, body) => {
    const answer = await send(method, path, body);
    if (answer.status === 503)
      throw new UnexpectedAnswer(`${method} ${path} was refused: ${JSON.stringify(answer.json)}`);
    return answer;
  };
}

function dataDirOf({ mounted }: Place): string {
  return join(mounted, 'data');
}

function wholeNumber(name: 'cuts' | 'seconds' | 'connections' | 'contacts' | 'seed'): number {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= 1) return value;
  return fail(`--${name} must be a whole number from 1; it is "${options[name]}".`);
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}
