// The tables at the end of a soak run.
import type { Soak } from './run.ts';
import { growthOf } from './watch.ts';

const mebibyte = 1024 ** 2;

export function reportOf(soak: Soak): string {
  const { traffic, watch } = soak;
  const rows = [...traffic.figures]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([operation, { latencies, refused, unknown }]) => [
      operation,
      String(latencies.count),
      ms(latencies.percentile(0.5)),
      ms(latencies.percentile(0.99)),
      ms(latencies.worstMs),
      String(refused),
      String(unknown),
    ]);
  const longest = watch.lives.toSorted((a, b) => b.length - a.length)[0] ?? [];
  const mebibytes = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`;
  return [
    table([['operation', 'calm', 'p50 ms', 'p99 ms', 'worst ms', '503', 'unknown'], ...rows]),
    '',
    `memory: ${mebibytes(watch.largest('memoryBytes'))} at most, grown by ${mebibytes(growthOf(longest, 'memoryBytes'))} in ${longest.length} s of one process`,
    `file descriptors: ${watch.largest('descriptors')} at most, grown by ${growthOf(longest, 'descriptors')}`,
    `write-ahead log: ${mebibytes(watch.largest('walBytes'))} at most`,
    `disturbances: ${[...soak.disturbed].map(([name, count]) => `${name} ${count}`).join(', ') || 'none'}`,
    `${traffic.requests} requests, ${soak.answeredWrites} answered writes, ${soak.contacts} contacts; compared ${soak.comparisons} times`,
  ].join('\n');
}

function ms(value: number): string {
  return Number.isNaN(value) ? '' : value.toFixed(1);
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
    )
    .join('\n');
}
