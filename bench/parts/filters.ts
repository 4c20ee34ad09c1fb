// Contacts that have eight attributes and three tags: filters and orders on one connection, and writes of such contacts
// against writes without any, in alternation. A server of its own, at the largest size.
import { limits } from '@roster/contract';
import { prepareValuedSet } from '../data-sets.ts';
import { run } from '../load.ts';
import { listNames } from '../operation-names.ts';
import { deleteCreated, type Target } from '../operations.ts';
import { oneContact, pageOf } from '../response-checks.ts';
import type { FiltersResult } from '../result.ts';
import { sampleContact } from '../sample-contacts.ts';
import { type AskedList, changedValues, type ListKind, listsOf, valuedContact } from '../sample-values.ts';
import { Service } from '../service.ts';
import { pairedRatio, type Slice, summarize } from '../statistics.ts';
import { largestOf, type RunContext } from './run-context.ts';

const writeConnections = 50;

export async function measureFilters(context: RunContext, home: string): Promise<FiltersResult> {
  const { engine, options, bar } = context;
  const { contacts } = largestOf(context);
  const set = await prepareValuedSet(engine, home, contacts, bar);
  const storage = await engine.copy(set.name);
  const service = await Service.start(storage);
  const target: Target = { contacts, set, storage, service, created: [], nextContact: contacts };
  try {
    const lists = Object.entries(listsOf(contacts)) as [ListKind, AskedList[]][];
    const totals = totalsOf(
      contacts,
      lists.flatMap(([, asked]) => asked),
    );
    bar.begin('filters', lists.length * (options.rounds + 1));
    await service.settle();
    const ask = async (kind: ListKind, asked: readonly AskedList[], limit: { seconds?: number; requests?: number }) => {
      let sent = 0;
      const next = () => exchangeOf(target, asked[sent++ % asked.length] as AskedList, totals);
      const slice = await run({ name: listNames[kind], port: service.port, connections: 1, ...limit, next });
      bar.advance(1);
      return slice;
    };
    const first = new Map<ListKind, number>();
    const slices = new Map<ListKind, Slice[]>();
    for (const [kind, asked] of lists) {
      const { latenciesMs } = await ask(kind, asked, { requests: asked.length });
      first.set(kind, summarize([{ latenciesMs, elapsedMs: 1, refused: 0 }]).p50Ms);
    }
    for (let round = 0; round < options.rounds; round++) {
      for (const [kind, asked] of lists) {
        slices.set(kind, [...(slices.get(kind) ?? []), await ask(kind, asked, { seconds: options.seconds })]);
      }
    }
    bar.end();
    return {
      contacts,
      lists: lists.map(([kind]) => ({
        kind,
        firstMs: first.get(kind) as number,
        again: summarize(slices.get(kind) ?? []),
      })),
      writes: await measureWrites(context, target),
    };
  } finally {
    await service.stop();
  }
}

/** How many contacts each list has, counted one by one. */
function totalsOf(contacts: number, lists: readonly AskedList[]): Map<AskedList, number> {
  const totals = new Map(lists.map((list) => [list, 0]));
  for (let n = 0; n < contacts; n++) {
    const contact = valuedContact(n);
    for (const list of lists) if (list.isHit(contact)) totals.set(list, (totals.get(list) as number) + 1);
  }
  return totals;
}

function exchangeOf({ service, set }: Target, list: AskedList, totals: ReadonlyMap<AskedList, number>) {
  const { query, page = 1 } = list;
  const total = totals.get(list) as number;
  const rows = Math.max(0, Math.min(limits.pageSizeDefault, total - (page - 1) * limits.pageSizeDefault));
  const path = `contacts?${query}${page === 1 ? '' : `&page=${page}`}`;
  return service.exchange(set.big, 'GET', path, { status: 200, check: pageOf(total, rows) });
}

async function measureWrites({ options, bar }: RunContext, target: Target): Promise<FiltersResult['writes']> {
  const { service, set, contacts } = target;
  let changes = 0;
  const create = (body: unknown) => {
    const check = oneContact(undefined, (id) => target.created.push(id));
    return service.exchange(set.big, 'PUT', 'contacts', { status: 201, check }, body);
  };
  const update = (values: (n: number) => object) => {
    const n = Math.floor(Math.random() * contacts);
    const id = set.idOf(n);
    const body = { name: `${sampleContact(n).name} ${changes++}`, ...values(n) };
    return service.exchange(set.big, 'PATCH', `contacts/${id}`, { status: 200, check: oneContact(id) }, body);
  };
  const kinds = [
    {
      name: 'create',
      plain: () => create(sampleContact(target.nextContact++)),
      valued: () => create(valuedContact(target.nextContact++)),
    },
    { name: 'update', plain: () => update(() => ({})), valued: () => update((n) => changedValues(n, changes)) },
  ];
  const measure = async (name: string, next: () => ReturnType<typeof create>) => {
    const load = { name, port: service.port, connections: writeConnections, seconds: options.seconds };
    const cpuBeforeUs = await service.cpuUs();
    const slice = await run({ ...load, next });
    await service.settle();
    slice.cpuUs = (await service.cpuUs()) - cpuBeforeUs;
    await deleteCreated(target);
    await service.settle();
    bar.advance(1);
    return slice;
  };
  bar.begin('writes of attributes and tags', kinds.length * 2 * (options.rounds + 1));
  const writes: FiltersResult['writes'] = [];
  for (const { name, plain, valued } of kinds) {
    const [plainSlices, valuedSlices]: [Slice[], Slice[]] = [[], []];
    // The first round warms up.
    for (let round = 0; round <= options.rounds; round++) {
      const [plainSlice, valuedSlice] = [await measure(name, plain), await measure(`${name} with values`, valued)];
      if (round === 0) continue;
      plainSlices.push(plainSlice);
      valuedSlices.push(valuedSlice);
    }
    const [without, withValues] = [summarize(plainSlices), summarize(valuedSlices)];
    const share = pairedRatio(withValues.perSecondByRound, without.perSecondByRound);
    writes.push({ name, connections: writeConnections, without, withValues, share });
  }
  bar.end();
  return writes;
}
