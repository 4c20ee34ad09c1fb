// Every operation at every size and number of connections. Short slices take turns: the sizes and a bare node:http
// server one after the other, again and again, so that a machine that is slower for a while is so for all of them.
import { oneContact } from '../answers.ts';
import { figuresOf, pairedRatio, type Slice } from '../figures.ts';
import { run } from '../load.ts';
import { type Operation, operations, type Target, tidy } from '../operations.ts';
import type { Cell } from '../result.ts';
import { nameOf, type RunContext } from './run-context.ts';

/** An operation of which so many at once would take longer is not measured at this number of connections. */
const waitMaxMs = 1000;
/** Of each operation at each size. Reads are guessed by one connection, and then asked by several. */
const warmUp = { guessSeconds: 2, requests: 20, seconds: 0.1, connections: 10 };

export async function measureOperations(context: RunContext): Promise<Cell[]> {
  const { options, bar } = context;
  const slices = new Slices();
  await warmUpAll(context, slices);
  // All reads before the first write: their totals are known.
  for (const isWrite of [false, true]) {
    const chosen = operations.filter((operation) => (operation.isWrite ?? false) === isWrite);
    const groups = options.connections.flatMap((connections) =>
      chosen
        .filter((operation) => operation.connections?.includes(connections) ?? true)
        .map((operation) => ({ operation, connections })),
    );
    bar.begin(isWrite ? 'writes' : 'reads', groups.length * options.rounds);
    for (let round = 0; round < options.rounds; round++) {
      for (const { operation, connections } of groups) {
        await measureGroup(context, operation, connections, round, slices);
        bar.advance(1);
      }
    }
    bar.end();
  }
  return slices.cells();
}

/** One operation at one number of connections: a slice at each size and one of the bare server, in turning order. */
async function measureGroup(
  context: RunContext,
  operation: Operation,
  connections: number,
  round: number,
  slices: Slices,
): Promise<void> {
  const measured = targetsOf(context, operation).filter((target) => !slices.isTooSlow(operation, connections, target));
  if (measured.length === 0) return;
  const turns = [undefined, ...measured];
  const first = round % turns.length;
  for (const target of [...turns.slice(first), ...turns.slice(0, first)]) {
    const slice =
      target === undefined
        ? await loadBare(context, connections)
        : await measureSlice(operation, connections, target, { seconds: context.options.seconds });
    slices.note(operation, connections, target, slice);
  }
}

async function measureSlice(
  operation: Operation,
  connections: number,
  target: Target,
  { seconds, requests = operation.requestsMax?.(connections) }: { seconds: number; requests?: number | undefined },
): Promise<Slice> {
  const slice = await run({
    name: nameOf(operation.name, connections, target),
    port: target.service.port,
    connections,
    ...(!operation.isExhaustive && { seconds }),
    ...(requests !== undefined && { requests }),
    next: () => operation.next(target),
  });
  if (operation.isWrite) {
    if (!operation.isForNext) await tidy(target);
    await target.service.settle();
  }
  return slice;
}

function loadBare({ barePort, options }: RunContext, connections: number): Promise<Slice> {
  const bytes = 'GET /v1/bots/x/contacts/x HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer x\r\n\r\n';
  const exchange = { bytes, status: 200, check: oneContact() };
  return run({ name: 'bare node:http', port: barePort, connections, seconds: options.seconds, next: () => exchange });
}

/** Each operation a few times: code is compiled, and what is measured as asked again was asked before. */
async function warmUpAll(context: RunContext, slices: Slices): Promise<void> {
  const { guessSeconds, requests, seconds, connections } = warmUp;
  await loadBare(context, connections);
  context.bar.begin('warming up', operations.length);
  for (const operation of operations) {
    for (const target of targetsOf(context, operation)) {
      if (operation.isWrite) {
        await measureSlice(operation, 1, target, { seconds, requests });
        continue;
      }
      const { latenciesMs } = await measureSlice(operation, 1, target, { seconds: guessSeconds, requests });
      slices.guess(operation, target, latenciesMs);
      if (!slices.isTooSlow(operation, connections, target)) {
        await measureSlice(operation, connections, target, { seconds });
      }
    }
    context.bar.advance(1);
  }
  context.bar.end();
}

function targetsOf({ targets, alone }: RunContext, operation: Operation): Target[] {
  return operation.isOfSmallBot ? [...targets, alone] : targets;
}

interface Group {
  operation: string;
  connections: number;
  bare: Slice[];
  bySize: Map<number, Slice[]>;
}

/** What was measured, by operation, connections and size. */
class Slices {
  readonly #groups = new Map<string, Group>();
  readonly #guessedMs = new Map<string, number>();

  /** Without a target it is one of the bare server. */
  note({ name }: Operation, connections: number, target: Target | undefined, slice: Slice): void {
    const key = `${name}, ${connections}`;
    const group: Group = this.#groups.get(key) ?? { operation: name, connections, bare: [], bySize: new Map() };
    this.#groups.set(key, group);
    if (target === undefined) group.bare.push(slice);
    else group.bySize.set(target.contacts, [...(group.bySize.get(target.contacts) ?? []), slice]);
  }

  /** So long one of them takes alone, quick and slow ones together. Writes are not guessed: they are never too slow. */
  guess({ name }: Operation, { contacts }: Target, latenciesMs: readonly number[]): void {
    const sumMs = latenciesMs.reduce((sum, latencyMs) => sum + latencyMs, 0);
    this.#guessedMs.set(`${name}, ${contacts}`, sumMs / latenciesMs.length);
  }

  /** The same answer in every round. */
  isTooSlow({ name }: Operation, connections: number, { contacts }: Target): boolean {
    const aloneMs = this.#guessedMs.get(`${name}, ${contacts}`) ?? 0;
    return connections > 1 && aloneMs * connections > waitMaxMs;
  }

  cells(): Cell[] {
    return Array.from(this.#groups.values()).flatMap(({ operation, connections, bare, bySize }) => {
      const bareFigures = figuresOf(bare);
      return Array.from(bySize, ([contacts, slices]) => {
        const figures = figuresOf(slices);
        const ofBareHttp = pairedRatio(figures.perSecondByRound, bareFigures.perSecondByRound);
        return { operation, connections, contacts, ...figures, ofBareHttp };
      }).sort((a, b) => (a.contacts || Infinity) - (b.contacts || Infinity));
    });
  }
}
