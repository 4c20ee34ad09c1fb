// Creates and updates that never pause, at the largest size: whether some of them wait for background work. A search with
// one hit runs beside them.
import { run } from '../load.ts';
import { names } from '../operation-names.ts';
import { deleteCreated, operations, searchOneHit } from '../operations.ts';
import type { SustainedResult } from '../result.ts';
import { type Slice, summarize } from '../statistics.ts';
import { largestOf, nameOf, type RunContext } from './run-context.ts';

const mebibyte = 1024 ** 2;
const connections = 50;
/** Of the quiet search. */
const quietShare = 0.1;

export async function measureSustained(context: RunContext): Promise<SustainedResult> {
  const { sustainedSeconds: seconds } = context.options;
  const target = largestOf(context);
  const { service } = target;
  const search = (duration: number) =>
    run({
      name: nameOf(names.oneHit, 1, target),
      port: service.port,
      connections: 1,
      seconds: duration,
      next: () => searchOneHit(target),
    });
  const writing = operations.filter(({ name }) => name === names.create || name === names.update);
  context.bar.begin('sustained writes', writing.length);
  await service.settle();
  const narrowQuiet = summarize([await search(seconds * quietShare)]);
  const writes: SustainedResult['writes'] = [];
  const beside: Slice[] = [];
  for (const { name, next } of writing) {
    const load = { name: nameOf(name, connections, target), port: service.port, connections, seconds };
    const cpuBeforeUs = await service.cpuUs();
    const [slice, searches] = await Promise.all([run({ ...load, next: () => next(target) }), search(seconds)]);
    await service.settle();
    slice.cpuUs = (await service.cpuUs()) - cpuBeforeUs;
    writes.push({ name, summary: summarize([slice]) });
    beside.push(searches);
    await deleteCreated(target);
    await service.settle();
    context.bar.advance(1);
  }
  context.bar.end();
  const memoryMiB = (await service.memoryBytes()) / mebibyte;
  const narrowBeside = summarize(beside);
  return { contacts: target.contacts, connections, seconds, writes, narrowQuiet, narrowBeside, memoryMiB };
}
