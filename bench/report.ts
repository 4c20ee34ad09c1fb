// Turns the measurements of a run into the table that people read.
import type { Measured } from './load.ts';

export interface Result {
  engine: string;
  contacts: number;
  connections: number;
  machine: string;
  memoryMiB: number;
  measured: Record<string, Measured[]>;
}

/** What a figure must reach, as a share of another of the same run. */
export interface Bar {
  atLeast: number;
  of: string;
}

/** Server memory at the end of a run, and how much slower a search may get beside writes. */
const memoryMaxMiB = 300;
const searchSlowdownMax = 5;

export function summarise(result: Result, bars: Record<string, Bar>): string {
  const { engine, contacts, connections, machine, memoryMiB, measured } = result;
  const median = (name: string, figure: 'perSecond' | 'p50Ms' | 'p99Ms') => {
    const sorted = (measured[name] ?? []).map((one) => one[figure]).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };

  const rows = Object.keys(measured).map((name) => {
    const bar = bars[name];
    const perSecond = median(name, 'perSecond');
    const share = perSecond / median(bar?.of ?? 'bare', 'perSecond');
    return [
      name,
      perSecond.toFixed(perSecond < 100 ? 1 : 0),
      show(median(name, 'p50Ms')),
      show(median(name, 'p99Ms')),
      bar?.of === 'bare' || bar === undefined ? share.toFixed(3) : `${share.toFixed(2)} of ${bar.of}`,
      bar === undefined ? '' : `${share >= bar.atLeast ? 'ok' : 'BELOW'} ${bar.atLeast}`,
    ];
  });
  const slowdown = median('search, beside creates', 'p99Ms') / median('search, alone', 'p99Ms');
  return [
    `${engine}: ${contacts} contacts, ${connections} connections, medians of ${measured['bare']?.length} rounds`,
    machine,
    '',
    table([['operation', 'per second', 'p50 ms', 'p99 ms', 'share of bare', 'bar'], ...rows]),
    '',
    `memory at the end: ${memoryMiB.toFixed(0)} MiB (${memoryMiB < memoryMaxMiB ? 'ok' : 'ABOVE'} ${memoryMaxMiB})`,
    `p99 of a search beside creates: ${slowdown.toFixed(1)} times its quiet one (${slowdown <= searchSlowdownMax ? 'ok' : 'ABOVE'} ${searchSlowdownMax})`,
  ].join('\n');
}

function show(ms: number): string {
  return Number.isNaN(ms) ? '' : ms.toFixed(2);
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row.map((cell, i) => (i === 0 || i > 3 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
