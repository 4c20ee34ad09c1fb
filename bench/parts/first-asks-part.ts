// The first ask of a broad word. What a server keeps of an answer would make the next ask another thing, so each ask
// has a new copy of the data and a server that was just started on it and has answered narrow searches only. The bare script asks the same word on a
// new connection, which has read nothing either. Both read a file that the system has in memory.
import type { Engine } from '../engine.ts';
import { figuresOf, type Slice } from '../figures.ts';
import { run } from '../load.ts';
import { names } from '../operation-names.ts';
import { operations, search, type Target } from '../operations.ts';
import { broadWord } from '../people.ts';
import { ask, end } from '../processes.ts';
import type { Cell } from '../result.ts';
import { Service } from '../service.ts';
import { nameOf, type RunContext } from './run-context.ts';

const warmUpRequests = 200;
const warmUps: readonly string[] = [names.retrieve, names.oneHit, names.narrow];

export async function measureFirstAsks(context: RunContext): Promise<Cell[]> {
  const { engine, targets, options, bar } = context;
  const slices = targets.map(() => ({ service: [] as Slice[], bare: [] as Slice[] }));
  bar.begin('first asks', options.rounds * targets.length);
  for (let round = 0; round < options.rounds; round++) {
    for (const [i, target] of targets.entries()) {
      await restart(target, engine);
      slices[i]?.service.push(await askOnce(target));
      const { contacts, storage, set } = target;
      const script = await engine.startBareSearch({ contacts, storage, access: set.big });
      const { elapsedMs, total } = await ask<{ elapsedMs: number; total: number }>(script, {
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
    { operation: names.broadFirst, connections: 1, contacts, ...figuresOf(slices[i]?.service ?? []) },
    { operation: names.broadBare, connections: 1, contacts, ...figuresOf(slices[i]?.bare ?? []) },
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

function askOnce(target: Target): Promise<Slice> {
  const exchange = search(target, broadWord, target.set.totals[broadWord] as number);
  return run({
    name: nameOf(names.broadFirst, 1, target),
    port: target.service.port,
    connections: 1,
    requests: 1,
    next: () => exchange,
  });
}
