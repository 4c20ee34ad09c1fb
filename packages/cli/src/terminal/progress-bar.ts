// Shows how far a long piece of work has come: a bar with rate and time left on a terminal, now and then a plain line
// elsewhere.
import { type Options, type Params, SingleBar } from 'cli-progress';
import type { TerminalStream } from '../invocation.ts';
import { count as format } from './locale.ts';

export interface ProgressBar {
  /**
   * Begins a piece of work, and ends the one before. Without a total only its title is shown. When the total is not in
   * what a user counts (bytes of a file, but rows for the user), `counted` says how many of those are done.
   */
  begin(title: string, total?: number, counted?: Counted): void;
  advance(count: number): void;
  end(): void;
}

export interface Counted {
  /** In the plural: rows. */
  unit: string;
  count(): number;
}

/** What shows one piece of work. */
type Piece = Omit<ProgressBar, 'begin'>;

const plainLineEveryMs = 5000;
const barWidth = 30;
const titleWidth = 10;

export function makeProgressBar(stream: TerminalStream): ProgressBar {
  let piece: Piece | undefined;
  const end = (): void => {
    piece?.end();
    piece = undefined;
  };
  return {
    begin(title, total, counted) {
      end();
      if (total === undefined) stream.write(`${title} …\n`);
      else piece = (stream.isTTY ? startBar : startLines)(stream, title, total, counted);
    },
    advance: (count) => piece?.advance(count),
    end,
  };
}

function startBar(stream: TerminalStream, title: string, total: number, counted?: Counted): Piece {
  const bar = new SingleBar({
    stream,
    hideCursor: true,
    // Rates change while tables grow: the last pages predict better than the average.
    etaBuffer: 50,
    format(_: Options, { progress, value, startTime, eta }: Params) {
      const filled = Math.round(progress * barWidth);
      const drawn = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      return `${title.padEnd(titleWidth)} ${drawn} ${describe({ value, total, counted }, startTime, Number(eta))}`;
    },
  });
  bar.start(total, 0);
  return { advance: (count) => bar.increment(count), end: () => bar.stop() };
}

function startLines(stream: TerminalStream, title: string, total: number, counted?: Counted): Piece {
  const startMs = Date.now();
  let value = 0;
  let writtenMs = startMs;
  const write = () => {
    writtenMs = Date.now();
    const left = ((total - value) * (writtenMs - startMs)) / value / 1000;
    stream.write(`${title}: ${describe({ value, total, counted }, startMs, left)}\n`);
  };
  return {
    advance(count) {
      value += count;
      if (Date.now() - writtenMs >= plainLineEveryMs) write();
    },
    end: write,
  };
}

interface State {
  value: number;
  total: number;
  counted: Counted | undefined;
}

function describe({ value, total, counted }: State, startMs: number, leftSeconds: number): string {
  const percent = total === 0 ? 100 : Math.floor((value / total) * 100);
  const count = counted?.count() ?? value;
  const done = counted === undefined ? `of ${format(total)}` : counted.unit;
  const parts = [`${percent}%, ${format(count)} ${done}`];
  const seconds = (Date.now() - startMs) / 1000;
  // A rate over less is chance.
  if (seconds >= 1) parts.push(`${format(Math.round(count / seconds))}/s`);
  if (seconds >= 1 && value < total && Number.isFinite(leftSeconds)) parts.push(`${clock(leftSeconds)} left`);
  return parts.join(', ');
}

function clock(seconds: number): string {
  const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const rest = `${twoDigits((seconds % 3600) / 60)}:${twoDigits(seconds % 60)}`;
  return seconds >= 3600 ? `${Math.floor(seconds / 3600)}:${rest}` : rest;
}
