// Measures the first search for a broad word. A server may cache what it needs for the second one, so every measurement
// has a new copy of the data and a server that was just started and has run narrow searches only. The bare script
// searches for the same word on a new connection, which has read nothing either. Both read files in the page cache.
import type { Engine } from '../engine.ts';
import { run } from '../load.ts';
import { names } from '../operation-names.ts';
import { operations, search, type Target } from '../operations.ts';
import { end, requestFrom } from '../processes.ts';
import type { Cell } from '../result.ts';
import { broadWord } from '../sample-contacts.ts';
import { Service } from '../service.ts';
import { type Slice, summarize } from '../statistics.ts';
import { nameOf, type RunContext } from './run-context.ts';

const warmUpRequests = 200;
const warmUps: readonly string[] = [names.retrieve, names.oneHit, names.narrow];

export async function measureColdSearches(context: RunContext): Promise<Cell[]> {
  const { engine, targets, options, bar } = context;
  const slices = targets.map(() => ({ service: [] as Slice[], bare: [] as Slice[] }));
  bar.begin('cold searches', options.rounds * targets.length);
  for (let round = 0; round < options.rounds; round++) {
    for (const [i, target] of targets.entries()) {
      await restart(target, engine);
      slices[i]?.service.push(await searchOnce(target));
      const { contacts, storage, set } = target;
      const script = await engine.startBareSearch({ contacts, storage, access: set.big });
      const { elapsedMs, total } = await requestFrom<{ elapsedMs: number; total: number }>(script, {
        kind: 'search',
        word: broadWord,
      });
      await end(script);
      if (total !== set.totals[broadWord]) throw new Error(`the bare script found ${total} contacts`);
      slices[i]?.bare.push({ latenciesMs: [elapsedMs], elapsedMs, refused: 0 });
      bar.advance(1);
    }
  }
  bar.end();
  return targets.flatMap(({ contacts }, i) => [
    { operation: names.broadFirst, connections: 1, contacts, ...summarize(slices[i]?.service ?? []) },
    { operation: names.broadBare, connections: 1, contacts, ...summarize(slices[i]?.bare ?? []) },
  ]);
}

async function restart(target: Target, engine: Engine): Promise<void> {
  await target.service.stop();
  target.storage = await engine.copy(target.set.name);
  target.service = await Service.start(target.storage);
  for (const operation of operations.filter(({ name }) => warmUps.includes(name))) {
    await run({
      name: nameOf(operation.name, 1, target),
      port: target.service.port,
      connections: 1,
      requests: warmUpRequests,
      next: () => operation.next(target),
    });
  }
  await target.service.settle();
}

function searchOnce(target: Target): Promise<Slice> {
  const exchange = search(target, broadWord, target.set.totals[broadWord] as number);
  return run({
    name: nameOf(names.broadFirst, 1, target),
    port: target.service.port,
    connections: 1,
    requests: 1,
    next: () => exchange,
  });
}
