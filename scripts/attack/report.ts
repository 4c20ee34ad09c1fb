// The table of an attack, and what in it is more than it may be. Latencies are judged by those of the same run: a machine is as fast
// as it is.
import type { Noticed, OperationName } from './run.ts';

/** A p99 may be so many times that of a quiet server. */
const slowerMax = 10;
/** What nobody notices is no problem, however many times it is. */
const unnoticedMs = 100;
const worstMsMax = 1000;
const memoryMiBMax = 600;

/**
 * A shorter measurement, on a machine that does other work beside it, says much about the machine, which may stand still for a second. What
 * is judged then is the p90, which may be ten times that of as many connections that do nothing heavy, too, and not the slowest of all.
 */
const longFromSeconds = 30;

export function problemsOf(noticed: readonly Noticed[], seconds: number): string[] {
  const isLong = seconds >= longFromSeconds;
  const share = isLong ? 0.99 : 0.9;
  const yardsticks = noticed.filter(({ load }) => load === 'none' || (load === 'reads by key' && !isLong));
  return noticed.flatMap((each) => {
    const { load, latencies, failures, memoryMiB } = each;
    const problems = [...new Set(failures)].map((failure) => `${failure} of another organization`);
    for (const [name, measured] of Object.entries(latencies) as [OperationName, (typeof latencies)['read']][]) {
      const usualMs = Math.max(...yardsticks.map((other) => other.latencies[name].percentile(share)));
      const ms = measured.percentile(share);
      if (ms > Math.max(slowerMax * usualMs, unnoticedMs)) problems.push(`p${share * 100} of ${name} ${inMs(ms)}`);
      if (isLong && measured.worstMs > worstMsMax) problems.push(`worst ${name} ${inMs(measured.worstMs)}`);
    }
    if (memoryMiB > memoryMiBMax) problems.push(`${Math.round(memoryMiB)} MiB of memory`);
    return problems.map((problem) => `${load}: ${problem}`);
  });
}

export function tableOf(noticed: readonly Noticed[]): string {
  const head = ['load', 'read p50 / p99 / worst', 'write', 'search', 'memory', 'answered to the attacker'];
  const rows = noticed.map(({ load, latencies, memoryMiB, answers }) => [
    load,
    ...[latencies.read, latencies.write, latencies.search].map((measured) =>
      [measured.percentile(0.5), measured.percentile(0.99), measured.worstMs].map(inMs).join(' / '),
    ),
    `${Math.round(memoryMiB)} MiB`,
    Object.entries(answers)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  ]);
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function inMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : String(Math.round(ms));
}
