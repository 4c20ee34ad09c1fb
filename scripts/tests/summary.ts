// What the runner prints: a line for each process of tests as it ends, and in the end the counts, the slowest and what failed.
import type { Outcome } from './job.ts';
import type { Job } from './plan.ts';

const slowestShown = 10;
/** The rest of a long list is above. */
const failuresShown = 20;

interface Ended {
  job: Job;
  outcome: Outcome;
}

export class Summary {
  readonly #total: number;
  readonly #ended: Ended[] = [];
  readonly #startMs = performance.now();

  constructor(total: number) {
    this.#total = total;
  }

  get hasPassed(): boolean {
    return this.#ended.length === this.#total && this.#ended.every(({ outcome }) => outcome.hasPassed);
  }

  add(job: Job, outcome: Outcome): void {
    this.#ended.push({ job, outcome });
    const { counts, hasPassed, seconds, output } = outcome;
    const number = String(this.#ended.length).padStart(String(this.#total).length);
    const cost = `${seconds.toFixed(1)} s, ${counts.cpuSeconds.toFixed(1)} CPU-seconds`;
    console.log(
      `[${number}/${this.#total}] ${hasPassed ? '✔' : '✖'} ${job.title}: ${counts.passed} passed${counts.failed > 0 ? `, ${counts.failed} FAILED` : ''}, ${cost}`,
    );
    if (output !== '') process.stdout.write(output.replaceAll(/^(?=.)/gm, '    '));
  }

  /** The failures once more, at the end, where the reader looks. */
  print(): void {
    const all = this.#ended.map(({ outcome }) => outcome.counts);
    const sum = (of: (counts: (typeof all)[number]) => number) => all.reduce((sum, each) => sum + of(each), 0);
    const failed = this.#ended.filter(({ outcome }) => !outcome.hasPassed);
    const lines = [
      '',
      'The slowest files, in CPU-seconds:',
      ...this.#ended
        .flatMap(costOfFiles)
        .toSorted(([, a], [, b]) => b - a)
        .slice(0, slowestShown)
        .map(([title, cpuSeconds]) => `${cpuSeconds.toFixed(1).padStart(7)}  ${title}`),
      '',
      ...all.flatMap(({ skipped }) => skipped.map((title) => `skipped: ${title}`)),
      ...failed.flatMap(({ job, outcome }) => [
        `FAILED: ${job.title}`,
        ...outcome.output
          .split('\n')
          .filter((line) => line.startsWith('✖'))
          .slice(0, failuresShown),
      ]),
      `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed, ${sum(({ skipped }) => skipped.length)} skipped, in ${this.#ended.length} of ${this.#total} processes, ${Math.round((performance.now() - this.#startMs) / 1000)} s and ${Math.round(sum(({ cpuSeconds }) => cpuSeconds))} CPU-seconds`,
    ];
    console.log(lines.join('\n'));
  }
}

/** Files that share a process also share what loading and closing took. */
function costOfFiles({ job, outcome: { counts } }: Ended): [title: string, cpuSeconds: number][] {
  const { files, engine, title } = job;
  if (files.length === 1) return [[title, counts.cpuSeconds]];
  const inTests = files.map((file) => counts.cpuSecondsByFile[file] ?? 0);
  const rest = counts.cpuSeconds - inTests.reduce((sum, each) => sum + each, 0);
  return files.map((file, at) => [
    `${file}${engine === 'postgres' ? ' on PostgreSQL' : ''}`,
    (inTests[at] ?? 0) + rest / files.length,
  ]);
}
