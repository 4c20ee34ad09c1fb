// The table of an attack, and what in it is more than it may be. Latencies are judged by those of the same run: a machine is as fast
// as it is.
import type { Noticed, OperationName } from './run.ts';

/** A p99 may be so many times that of a quiet server, or of as many connections that do nothing heavy. */
const slowerMax = 10;
/** What nobody notices is no problem, however many times it is. */
const unnoticedMs = 100;
const worstMsMax = 1000;
/** In a shorter measurement the slowest of all says more about the disk, which may stand still for a second, than about the load. */
const worstFromSeconds = 30;
const memoryMiBMax = 600;

/** Loads that all others are compared with. */
const yardsticks = ['none', 'reads by key'];

export function problemsOf(noticed: readonly Noticed[], seconds: number): string[] {
  const quiet = noticed.filter(({ load }) => yardsticks.includes(load));
  return noticed.flatMap((each) => {
    const { load, latencies, failures, memoryMiB } = each;
    const problems = [...new Set(failures)].map((failure) => `${failure} of another organization`);
    for (const [name, measured] of Object.entries(latencies) as [OperationName, (typeof latencies)['read']][]) {
      const usualMs = Math.max(...quiet.map((other) => other.latencies[name].percentile(0.99)));
      const p99 = measured.percentile(0.99);
      if (p99 > Math.max(slowerMax * usualMs, unnoticedMs)) problems.push(`p99 of ${name} ${inMs(p99)}`);
      // On a machine that is busy with other things, nothing is quick.
      if (seconds >= worstFromSeconds && measured.worstMs > Math.max(worstMsMax, slowerMax * usualMs))
        problems.push(`worst ${name} ${inMs(measured.worstMs)}`);
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
