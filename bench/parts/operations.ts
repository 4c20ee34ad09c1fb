// Measures every operation at every size and number of connections. The sizes and a bare node:http server are measured
// in short alternating slices, round after round, so that a slow phase of the machine affects all of them alike.

import { run } from '../load.ts';
import { deleteCreated, type Operation, operations, type Target } from '../operations.ts';
import { oneContact } from '../response-checks.ts';
import type { Cell } from '../result.ts';
import { pairedRatio, type Slice, summarize } from '../statistics.ts';
import { nameOf, type RunContext, type Yardsticks } from './run-context.ts';

type OperationsContext = RunContext & Yardsticks;

/** An operation is not measured at a number of connections at which its latency would exceed this. */
const latencyMaxMs = 1000;
/**
 * For each operation at each size. Reads run on one connection first, to estimate their latency, and then on several. No longer
 * than what is measured afterwards.
 */
const warmUp = { estimateSeconds: 2, requests: 20, secondsMax: 0.1, connections: 10 };

export async function measureOperations(context: OperationsContext): Promise<Cell[]> {
  const { options, bar } = context;
  const slices = new Slices();
  await warmUpAll(context, slices);
  // All reads run before the first write: the totals that they expect are those of the unchanged data set.
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

/** One operation at one number of connections: a slice at each size and one of the bare server, in rotating order. */
async function measureGroup(
  context: OperationsContext,
  operation: Operation,
  connections: number,
  round: number,
  slices: Slices,
): Promise<void> {
  const measured = targetsOf(context, operation).filter((target) => !slices.isTooSlow(operation, connections, target));
  if (measured.length === 0) return;
  const order = [undefined, ...measured];
  const first = round % order.length;
  for (const target of [...order.slice(first), ...order.slice(0, first)]) {
    const slice =
      target === undefined
        ? await loadBare(context, connections)
        : await measureSlice(operation, connections, target, { seconds: context.options.seconds });
    slices.add(operation, connections, target, slice);
  }
}

async function measureSlice(
  operation: Operation,
  connections: number,
  target: Target,
  { seconds, requests = operation.requestsMax?.(connections) }: { seconds: number; requests?: number | undefined },
): Promise<Slice> {
  const { service } = target;
  const cpuBeforeUs = await service.cpuUs();
  const slice = await run({
    name: nameOf(operation.name, connections, target),
    port: service.port,
    connections,
    ...(!operation.isExhaustive && { seconds }),
    ...(requests !== undefined && { requests }),
    next: () => operation.next(target),
  });
  if (operation.isWrite) await service.settle();
  slice.cpuUs = (await service.cpuUs()) - cpuBeforeUs;
  if (operation.isWrite && !operation.isForNext) {
    await deleteCreated(target);
    await service.settle();
  }
  return slice;
}

async function loadBare({ bare, options }: OperationsContext, connections: number): Promise<Slice> {
  const bytes = 'GET /v1/bots/x/contacts/x HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer x\r\n\r\n';
  const exchange = { bytes, status: 200, check: oneContact() };
  const load = { name: 'bare node:http', port: bare.port, connections, seconds: options.seconds };
  const cpuBeforeUs = await bare.cpuUs();
  const slice = await run({ ...load, next: () => exchange });
  slice.cpuUs = (await bare.cpuUs()) - cpuBeforeUs;
  return slice;
}

/** Runs each operation a few times: code gets compiled, and repeated searches have been run once before. */
async function warmUpAll(context: OperationsContext, slices: Slices): Promise<void> {
  const { estimateSeconds, requests, secondsMax, connections } = warmUp;
  const seconds = Math.min(secondsMax, context.options.seconds);
  await loadBare(context, connections);
  context.bar.begin('warming up', operations.length);
  for (const operation of operations) {
    for (const target of targetsOf(context, operation)) {
      if (operation.isWrite) {
        await measureSlice(operation, 1, target, { seconds, requests });
        continue;
      }
      const { latenciesMs } = await measureSlice(operation, 1, target, { seconds: estimateSeconds, requests });
      slices.estimate(operation, target, latenciesMs);
      if (!slices.isTooSlow(operation, connections, target)) {
        await measureSlice(operation, connections, target, { seconds });
      }
    }
    context.bar.advance(1);
  }
  context.bar.end();
}

function targetsOf({ targets, alone }: OperationsContext, operation: Operation): Target[] {
  return operation.isOfSmallBot ? [...targets, alone] : targets;
}

interface Group {
  operation: string;
  connections: number;
  bare: Slice[];
  bySize: Map<number, Slice[]>;
}

/** The measurements by operation, connections and size. */
class Slices {
  readonly #groups = new Map<string, Group>();
  readonly #estimatedMs = new Map<string, number>();

  /** A slice without a target is one of the bare server. */
  add({ name }: Operation, connections: number, target: Target | undefined, slice: Slice): void {
    const key = `${name}, ${connections}`;
    const group: Group = this.#groups.get(key) ?? { operation: name, connections, bare: [], bySize: new Map() };
    this.#groups.set(key, group);
    if (target === undefined) group.bare.push(slice);
    else group.bySize.set(target.contacts, [...(group.bySize.get(target.contacts) ?? []), slice]);
  }

  /** Estimates the latency on one connection as the mean. Writes need no estimate: they are never too slow. */
  estimate({ name }: Operation, { contacts }: Target, latenciesMs: readonly number[]): void {
    const sumMs = latenciesMs.reduce((sum, latencyMs) => sum + latencyMs, 0);
    this.#estimatedMs.set(`${name}, ${contacts}`, sumMs / latenciesMs.length);
  }

  /** Decided by the estimate alone, so that every round measures the same operations. */
  isTooSlow({ name }: Operation, connections: number, { contacts }: Target): boolean {
    const estimatedMs = this.#estimatedMs.get(`${name}, ${contacts}`) ?? 0;
    return connections > 1 && estimatedMs * connections > latencyMaxMs;
  }

  cells(): Cell[] {
    return Array.from(this.#groups.values()).flatMap(({ operation, connections, bare, bySize }) => {
      const bareSummary = summarize(bare);
      return Array.from(bySize, ([contacts, slices]) => {
        const summary = summarize(slices);
        const ofBareHttp = pairedRatio(summary.perSecondByRound, bareSummary.perSecondByRound);
        const cpuOfBareHttp = pairedRatio(summary.cpuUsByRound ?? [], bareSummary.cpuUsByRound ?? []);
        return { operation, connections, contacts, ...summary, ofBareHttp, cpuOfBareHttp };
      }).sort((a, b) => (a.contacts || Infinity) - (b.contacts || Infinity));
    });
  }
}
