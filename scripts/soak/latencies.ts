// Millions of latencies in little memory: counted in steps of five percent, so percentiles are that exact. The worst is exact.

const step = Math.log(1.05);
/** The first count is of everything up to a hundredth of a millisecond. */
const smallestMs = 0.01;

export class Latencies {
  count = 0;
  worstMs = 0;
  readonly #counts: number[] = [];

  add(ms: number): void {
    const index = Math.max(0, Math.ceil(Math.log(ms / smallestMs) / step));
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.count++;
    this.worstMs = Math.max(this.worstMs, ms);
  }

  /** At most five percent above the measured value, and never above the worst. */
  percentile(share: number): number {
    let left = Math.max(1, Math.ceil(this.count * share));
    for (const [index, count = 0] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.worstMs, smallestMs * Math.exp(index * step));
    }
    return Number.NaN;
  }
}
