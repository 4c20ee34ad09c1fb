// npm run fuzz: odd requests to a real server, until one is answered as the contract does not allow.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type Engine, engines, fuzz, type Report } from './run.ts';

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string' },
    requests: { type: 'string', default: '5000' },
    engine: { type: 'string' },
    only: { type: 'string' },
    'hang-ms': { type: 'string', default: '1000' },
    'growth-mib': { type: 'string', default: '256' },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(`npm run fuzz -- [--requests 5000] [--engine ${engines.join('|')}] [--seed N] [--only INDEX] [--hang-ms 1000] [--growth-mib 256]

Sends odd requests to a server of its own, and fails on a 5xx, an answer off the contract, a hang or growing memory.
The same seed makes the same requests. --only repeats one request, after those of its episode that came before it.`);
  process.exit(0);
}

const seed = options.seed === undefined ? randomInt(2 ** 31) : wholeNumber('seed');
for (const engine of chosenEngines()) await run(engine);

async function run(engine: Engine): Promise<void> {
  const requests = wholeNumber('requests');
  console.log(
    `${engine}, seed ${seed}: ${options.only === undefined ? `${requests} requests` : `request ${options.only}`}`,
  );
  const cleanUps: (() => unknown)[] = [];
  const startedMs = performance.now();
  let printedMs = startedMs;
  try {
    const report = await fuzz(
      { after: (cleanUp) => cleanUps.unshift(cleanUp) },
      {
        engine,
        seed,
        requests,
        only: options.only === undefined ? undefined : wholeNumber('only'),
        hangMs: wholeNumber('hang-ms'),
        growthBytes: wholeNumber('growth-mib') * 1024 ** 2,
        onFinding({ index, faults, sent, received }) {
          process.exitCode = 1;
          console.log(`\nRequest ${index}: ${faults.join('; ')}\n\n${sent}\n\n${received}\n`);
          console.log(`Again: npm run fuzz -- --engine ${engine} --seed ${seed} --only ${index}`);
        },
        onProgress(report) {
          if (performance.now() - printedMs < 30_000) return;
          printedMs = performance.now();
          console.log(summaryOf(report));
        },
      },
    );
    show(report, (performance.now() - startedMs) / 1000);
  } finally {
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

function show(report: Report, seconds: number): void {
  for (const [id, statuses] of [...report.answered].toSorted(([a], [b]) => a.localeCompare(b))) {
    const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    console.log(`  ${id.padEnd(36)} ${counts.join(', ')}`);
  }
  console.log(`${summaryOf(report)}, ${Math.round(seconds)} s`);
}

function summaryOf({ requests, findings, slowestMs, firstBytes, lastBytes }: Report): string {
  const mebibytes = (bytes: number) => Math.round(bytes / 1024 ** 2);
  return `${requests} requests, ${findings.length} findings, slowest ${Math.round(slowestMs)} ms, memory ${mebibytes(firstBytes)} to ${mebibytes(lastBytes)} MiB`;
}

function chosenEngines(): readonly Engine[] {
  if (options.engine === undefined) return engines;
  const engine = engines.find((each) => each === options.engine);
  if (engine === undefined) fail(`--engine takes one of ${engines.join(', ')}.`);
  return [engine];
}

function wholeNumber(name: 'seed' | 'requests' | 'only' | 'hang-ms' | 'growth-mib'): number {
  const value = options[name] ?? '';
  if (!/^\d{1,15}$/.test(value)) fail(`--${name} takes a whole number.`);
  return Number(value);
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
