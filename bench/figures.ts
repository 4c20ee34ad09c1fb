// What is computed from measurements: percentiles, medians and ratios. Knows neither HTTP nor a clock.

/** One load for a short time. */
export interface Slice {
  latenciesMs: number[];
  elapsedMs: number;
  /** Answers that told the client to come back later, where these are allowed. They are not among the latencies. */
  refused: number;
}

export interface Figures {
  requests: number;
  /** The median of the rounds. */
  perSecond: number;
  /** Of all requests of all rounds together: a short slice alone has no 99th percentile. */
  p50Ms: number;
  p99Ms: number;
  /** For ratios of what was measured side by side. */
  perSecondByRound: number[];
}

/** The nearest rank: a latency that was really measured. */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

export function figuresOf(slices: readonly Slice[]): Figures {
  const latencies = slices.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
  const perSecondByRound = slices.map(({ latenciesMs, elapsedMs }) => latenciesMs.length / (elapsedMs / 1000));
  return {
    requests: latencies.length,
    perSecond: median(perSecondByRound),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    perSecondByRound,
  };
}

/** The median of the ratios within each round: what slows the whole machine for a while slows both sides of one. */
export function pairedRatio(figures: readonly number[], others: readonly number[]): number {
  return median(figures.slice(0, others.length).map((figure, round) => figure / (others[round] as number)));
}
