// The command line of the benchmark.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type EngineKind, engineKinds } from './engine.ts';

const partNames = ['operations', 'cold-searches', 'contention', 'sustained', 'load', 'filters'] as const;
export type PartName = (typeof partNames)[number];

export interface Options {
  engine: EngineKind;
  contacts: number;
  /** Sizes of the large bot, ascending. */
  sizes: number[];
  smallBots: number;
  smallBotContacts: number;
  connections: number[];
  rounds: number;
  seconds: number;
  /** Of each write that never pauses. */
  sustainedSeconds: number;
  parts: PartName[];
  dataFolder: string;
  resultsFolder: string;
  isWritingDocs: boolean;
}

export class UsageError extends Error {}

export const usage = `Usage: npm run bench -- [options]

  --engine sqlite|postgres   storage engine of the service (sqlite)
  --contacts 1000000         contacts of the largest bot; a tenth and a hundredth are measured too (100000)
  --bots 1000                small bots of a thousand contacts beside the largest (1)
  --connections 1,10,50      numbers of concurrent connections
  --rounds 3                 repetitions of each measurement
  --seconds 0.4              duration of each measurement
  --sustained-seconds 60     duration of the writes that never pause
  --parts ${partNames.join(',')}
                             what to measure (all)
  --data, --results          folders for data sets and results (bench/data, bench/results)
  --write-docs               writes docs/performance.md, and all tables and the plot into docs/decisions
`;

/** A smaller bot has too few hits of the narrow words to measure them. */
const contactsMin = 100;
const smallBotContacts = 1000;
const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parse(args);
  if (values.help) return 'help';
  const contacts = wholeNumber('contacts', values.contacts, contactsMin);
  const parts = values.parts.split(',') as PartName[];
  const unknown = parts.find((part) => !partNames.includes(part));
  if (unknown !== undefined) throw new UsageError(`--parts has no ${unknown}.`);
  const engine = engineKinds.find((kind) => kind === values.engine);
  if (engine === undefined) throw new UsageError(`--engine must be one of ${engineKinds.join(', ')}.`);
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new UsageError('--seconds must be a number above 0.');
  const sustainedSeconds = Number(values['sustained-seconds']);
  if (!(sustainedSeconds > 0)) throw new UsageError('--sustained-seconds must be a number above 0.');
  return {
    engine,
    contacts,
    sizes: sizesOf(contacts),
    smallBots: wholeNumber('bots', values.bots, 1),
    smallBotContacts: Math.min(smallBotContacts, contacts),
    connections: values.connections.split(',').map((text) => wholeNumber('connections', text, 1)),
    rounds: wholeNumber('rounds', values.rounds, 1),
    seconds,
    sustainedSeconds,
    parts,
    dataFolder: values.data,
    resultsFolder: values.results,
    isWritingDocs: values['write-docs'],
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        engine: { type: 'string', default: 'sqlite' },
        contacts: { type: 'string', default: '100000' },
        bots: { type: 'string', default: '1' },
        connections: { type: 'string', default: '1,10,50' },
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '0.4' },
        'sustained-seconds': { type: 'string', default: '60' },
        parts: { type: 'string', default: partNames.join(',') },
        data: { type: 'string', default: pathOf('data') },
        results: { type: 'string', default: pathOf('results') },
        'write-docs': { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** A hundredth, a tenth and the whole of the given size. */
export function sizesOf(contacts: number): number[] {
  const sizes = [100, 10, 1].map((part) => Math.max(contactsMin, Math.round(contacts / part)));
  return Array.from(new Set(sizes));
}

function wholeNumber(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < min) throw new UsageError(`--${name} must be a number from ${min} on.`);
  return value;
}
