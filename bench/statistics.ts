// Statistics over measurements: percentiles, medians and ratios. Knows neither HTTP nor a clock.

/** The measurements of one load over a short time. */
export interface Slice {
  latenciesMs: number[];
  elapsedMs: number;
  /** Responses with status 503, where a load allows them. They are not among the latencies. */
  refused: number;
  /** CPU time of the server's process, all threads, with the background work that the load has caused. */
  cpuUs?: number;
}

export interface Summary {
  requests: number;
  /** The median of the rounds. */
  perSecond: number;
  /** Percentiles are over the requests of all rounds: a short slice alone has no 99th percentile. */
  p50Ms: number;
  p99Ms: number;
  worstMs: number;
  /** For ratios of measurements of the same round. */
  perSecondByRound: number[];
  /** CPU time per request; the median of the rounds. */
  cpuUs?: number;
  cpuUsByRound?: number[];
}

/** The nearest-rank percentile, which is always a measured value. */
export function percentile(sorted: readonly number[], share: number): number {
  const rank = Math.max(1, Math.ceil(sorted.length * share));
  return sorted[rank - 1] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

export function summarize(slices: readonly Slice[]): Summary {
  const latencies = slices.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b);
  const perSecondByRound = slices.map(({ latenciesMs, elapsedMs }) => latenciesMs.length / (elapsedMs / 1000));
  const cpuUsByRound = slices.flatMap(({ latenciesMs, cpuUs }) =>
    cpuUs === undefined ? [] : cpuUs / latenciesMs.length,
  );
  return {
    requests: latencies.length,
    perSecond: median(perSecondByRound),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
    worstMs: percentile(latencies, 1),
    perSecondByRound,
    ...(cpuUsByRound.length > 0 && { cpuUs: median(cpuUsByRound), cpuUsByRound }),
  };
}

/** The median of the ratios within each round: a slow phase of the machine then affects both sides of a ratio. */
export function pairedRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.slice(0, others.length).map((value, round) => value / (others[round] as number)));
}
