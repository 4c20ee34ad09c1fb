// The memory, file descriptors and write-ahead log of a running server, sampled once a second, and what they may be.
import { readdirSync, readFileSync } from 'node:fs';
import { median } from '../../bench/statistics.ts';

export interface Sample {
  memoryBytes: number;
  descriptors: number;
  walBytes: number;
}

export interface Bounds {
  memoryBytesMax: number;
  /** Of the median, from the first to the last third of a server's life after its warm-up. */
  memoryGrowthMax: number;
  descriptorGrowthMax: number;
  walBytesMax: number;
}

const mebibyte = 1024 ** 2;
const sampleEveryMs = 1000;
/** A new process compiles, and fills its caches and its heap: for a minute at least, and longer under a low load. */
const warmUpSamples = 60;
const warmUpShare = 1 / 4;
/** Shorter lives have no growth to speak of. */
const judgedSamplesMin = 60;

export const defaultBounds: Omit<Bounds, 'walBytesMax'> = {
  memoryBytesMax: 400 * mebibyte,
  memoryGrowthMax: 64 * mebibyte,
  descriptorGrowthMax: 10,
};

export class Watch {
  /** From each start of the server to its end. */
  readonly lives: Sample[][] = [];
  readonly #walBytes: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(walBytes: () => number) {
    this.#walBytes = walBytes;
  }

  get latest(): Sample | undefined {
    return this.lives.at(-1)?.at(-1);
  }

  begin(pid: number): void {
    const life: Sample[] = [];
    this.lives.push(life);
    this.#timer = setInterval(() => {
      const sample = this.#sample(pid);
      if (sample !== undefined) life.push(sample);
    }, sampleEveryMs);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  largest(name: keyof Sample): number {
    return this.lives.flat().reduce((largest, sample) => Math.max(largest, sample[name]), 0);
  }

  problems(bounds: Bounds): string[] {
    const problems: string[] = [];
    const compare = (what: string, value: number, most: number, unit: number) => {
      if (value > most) problems.push(`${what}: ${Math.round(value / unit)}, at most ${most / unit} is allowed`);
    };
    compare('memory in MiB', this.largest('memoryBytes'), bounds.memoryBytesMax, mebibyte);
    compare('write-ahead log in MiB', this.largest('walBytes'), bounds.walBytesMax, mebibyte);
    for (const [index, life] of this.lives.entries()) {
      const where = `of server ${index + 1}`;
      compare(`growth of memory ${where} in MiB`, growthOf(life, 'memoryBytes'), bounds.memoryGrowthMax, mebibyte);
      compare(`growth of descriptors ${where}`, growthOf(life, 'descriptors'), bounds.descriptorGrowthMax, 1);
    }
    return problems;
  }

  /** Undefined when the process has just ended. */
  #sample(pid: number): Sample | undefined {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return {
        memoryBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
        walBytes: this.#walBytes(),
      };
    } catch {
      return undefined;
    }
  }
}

export function growthOf(life: readonly Sample[], name: keyof Sample): number {
  const warmUp = Math.max(warmUpSamples, Math.ceil(life.length * warmUpShare));
  const values = life.slice(warmUp).map((sample) => sample[name]);
  if (values.length < judgedSamplesMin) return 0;
  const third = Math.floor(values.length / 3);
  return median(values.slice(-third)) - median(values.slice(0, third));
}
