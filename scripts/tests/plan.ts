// Which test files run where: in `npm test` or in the rest, on which engine, and which of them share a process.
import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { engineVariable } from '../../packages/server/test/chosen-engine.ts';
import { chromium, firefox, type Program, php, python } from '../../packages/server/test/installed-program.ts';

const engineNames = ['sqlite', 'postgres'] as const;
export type EngineName = (typeof engineNames)[number];

/** Files that run in one process, one after the other. */
export interface Job {
  title: string;
  /** Of the HTTP tests among them. The others choose their own. */
  engine: EngineName;
  files: string[];
}

export interface Plan {
  jobs: Job[];
  /** What the tests need beside what npm installs. */
  programs: Program[];
  /** For `node --test`. */
  options: string[];
  /** Whether format, lint and types are checked first: everything is asked for. */
  isWhole: boolean;
}

const allTests = ['packages/**/*.test.ts', 'bench/**/*.test.ts', 'scripts/**/*.test.ts'];

/** Tools for long runs, each tried briefly. They take longest, so they begin first. */
const toolTests = [
  'scripts/{attack/attack,feed-test/feed-test,power-cut/power-cut,soak/soak}.test.ts',
  'bench/bench.test.ts',
  'packages/server/test/fuzz/fuzz.test.ts',
];

/** What `npm test` leaves out, except for `keptTests`. */
const restTests = [
  ...toolTests,
  // The stand-in for a sharded database.
  'packages/server/src/store/postgres/partitioned-store.test.ts',
  'packages/server/test/postgres/one-partition.test.ts',
  // Every other page in every browser.
  'packages/console/test/*.test.ts',
  'packages/guide/test/accessibility.test.ts',
  'packages/server/test/browser/*.test.ts',
  // What users install and run as the docs say: package managers, compilers and other languages.
  'packages/cli/test/{documented-lines,readme}.test.ts',
  'packages/client/test/{package,webhook-receivers}.test.ts',
  'packages/generated-client/test/*.test.ts',
  'packages/server/test/process/production.test.ts',
];

/** One file for each area that a browser shows, and the tests of these folders that need no browser. */
const keptTests = [
  'packages/console/test/{walkthrough,bot-colors,delivery-pause,server-snippets}.test.ts',
  'packages/server/test/browser/recognition.test.ts',
];

/** Each speaks to a server over HTTP, or delivers from one, on the engine that the runner names. */
const httpTests = [
  'packages/server/src/operations/*.test.ts',
  'packages/server/test/http/*.test.ts',
  'packages/server/src/delivery/{deferred-deliveries,deliverer,webhook-run}.test.ts',
];

/** Those in which an engine's own statements decide the answer: `npm test` has them on both. */
const engineTests = [
  'packages/server/src/operations/contact{s,s-delete,s-filter,s-search,s-upsert,-tokens,-values}.test.ts',
  'packages/server/src/operations/{attributes,events,overview,segments,webhooks}.test.ts',
];

/** Matrices over every operation, of what is decided above the store. One engine shows it. */
const oneEngineTests = ['packages/server/test/http/{credentials,permissions,privacy}.test.ts'];

/**
 * Folders whose files share processes, and how many to each: loading the server takes longer than most of them. Those that take long come
 * first, so that small ones fill what is left at the end.
 */
const sharedFolders: readonly { files: string[]; perProcess: number }[] = [
  { files: ['packages/cli/test/*.test.ts'], perProcess: 5 },
  { files: ['packages/server/test/http/*.test.ts'], perProcess: 4 },
  { files: ['packages/server/src/operations/*.test.ts'], perProcess: 6 },
  { files: ['packages/client/src/*.test.ts'], perProcess: 6 },
  {
    files: [
      'packages/{contract,contact-files}/{src,test}/*.test.ts',
      'packages/cli/src/**/*.test.ts',
      'packages/widget/test/*.test.ts',
      'packages/server/src/{account,contacts,http,process}/*.test.ts',
      'packages/server/src/store/*.test.ts',
      'packages/server/src/delivery/*.test.ts',
      'bench/*.test.ts',
      // Without job.test.ts, which waits for long.
      'scripts/!(tests)/*.test.ts',
    ],
    perProcess: 30,
  },
];

const programsNeeded: readonly { program: Program; files: string[] }[] = [
  {
    program: chromium,
    files: ['packages/{console,guide}/test/*.test.ts', 'packages/server/test/browser/*.test.ts'],
  },
  { program: firefox, files: ['packages/server/test/browser/firefox.test.ts'] },
  { program: python, files: ['packages/client/test/webhook-receivers.test.ts'] },
  { program: php, files: ['packages/client/test/webhook-receivers.test.ts'] },
];

/** All patterns above, so that a test can find the ones that match nothing any more. */
export const selections: readonly string[] = [
  ...[allTests, restTests, keptTests, httpTests, engineTests, oneEngineTests].flat(),
  ...[...sharedFolders, ...programsNeeded].flatMap(({ files }) => files),
];

/** `args` are those of the runner: --rest, --all, files, patterns, and options of `node --test`. */
export function planOf(args: readonly string[], env: NodeJS.ProcessEnv): Plan {
  const patterns = args.filter((arg) => !arg.startsWith('-'));
  const isRest = args.includes('--rest');
  const isAll = args.includes('--all') && !isRest;
  const options = args.filter((arg) => arg.startsWith('-') && !['--rest', '--all'].includes(arg));
  const engine = env[engineVariable] || undefined;
  if (engine !== undefined && !engineNames.some((name) => name === engine)) {
    throw new Error(`${engineVariable} is ${engine}. Set it to ${engineNames.join(' or ')}, or leave it out for both.`);
  }
  const jobs = (patterns.length > 0 ? namedJobs(patterns) : chosenJobs({ isRest, isAll })).filter(
    (job) => job.engine === (engine ?? job.engine),
  );
  if (jobs.length === 0) throw new Error(`No test matches ${[...args, engine ?? []].flat().join(' ')}`);
  const files = new Set(jobs.flatMap((job) => job.files));
  const programs = programsNeeded.filter((each) => globSync(each.files).some((file) => files.has(file)));
  return { jobs, programs: programs.map(({ program }) => program), options, isWhole: isAll && patterns.length === 0 };
}

/** Each in a process of its own, on every engine. */
function namedJobs(patterns: readonly string[]): Job[] {
  const files = globSync([...patterns]).toSorted();
  const isHttp = matcher(httpTests);
  return [
    ...files.map((file) => jobOf('sqlite', [file])),
    ...files.filter(isHttp).map((file) => jobOf('postgres', [file])),
  ];
}

function chosenJobs({ isRest, isAll }: { isRest: boolean; isAll: boolean }): Job[] {
  const [isLeftOut, isKept, isEngineTest, isOneEngineTest] = [
    matcher(restTests),
    matcher(keptTests),
    matcher(engineTests),
    matcher(oneEngineTests),
  ];
  const isInRest = (file: string) => isLeftOut(file) && !isKept(file);
  const onSqlite = globSync(allTests).filter((file) => isAll || isInRest(file) === isRest);
  const onPostgres = globSync(httpTests)
    .filter((file) => !isOneEngineTest(file))
    .filter((file) => isAll || isEngineTest(file) !== isRest);
  return [...jobsOf('sqlite', onSqlite.toSorted()), ...jobsOf('postgres', onPostgres.toSorted())];
}

/** Files of their own processes first, and of these the tools: the longest are among them. */
function jobsOf(engine: EngineName, files: readonly string[]): Job[] {
  const [isTool, isLong] = [matcher(toolTests), matcher(restTests)];
  const shared = sharedFolders.map((folder) => ({ ...folder, has: matcher(folder.files) }));
  const byFolder = Map.groupBy(files, (file) => (isLong(file) ? undefined : shared.find(({ has }) => has(file))));
  const { tool = [], other = [] } = Object.groupBy(byFolder.get(undefined) ?? [], (file) =>
    isTool(file) ? 'tool' : 'other',
  );
  const alone = [...tool, ...other].map((file) => jobOf(engine, [file]));
  const together = shared.flatMap((folder) => {
    const own = byFolder.get(folder) ?? [];
    const processes = Math.ceil(own.length / folder.perProcess);
    const size = Math.ceil(own.length / processes);
    return Array.from({ length: processes }, (_, at) => jobOf(engine, own.slice(at * size, (at + 1) * size)));
  });
  return [...alone, ...together];
}

function jobOf(engine: EngineName, files: string[]): Job {
  return { title: `${titleOf(files)}${engine === 'postgres' ? ' on PostgreSQL' : ''}`, engine, files };
}

/** As a pattern that a shell takes, where they are of one folder. */
function titleOf([first = '', ...others]: readonly string[]): string {
  if (others.length === 0) return first;
  const folder = dirname(first);
  if (others.some((file) => dirname(file) !== folder)) return `${others.length + 1} small files, ${folder} and others`;
  const names = [first, ...others].map((file) => basename(file, '.test.ts'));
  return `${folder}/{${names.join(',')}}.test.ts`;
}

function matcher(patterns: readonly string[]): (file: string) => boolean {
  const files = new Set(globSync([...patterns]));
  return (file) => files.has(file);
}
