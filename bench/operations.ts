// The operations that are measured: which requests each makes at a data set, and what their answers must be.
import { limits } from '@roster/contract';
import { empty, exportOf, oneContact, pageOf, upsertedOf } from './answers.ts';
import type { DataSet } from './data-sets.ts';
import type { Storage } from './engine.ts';
import { type Exchange, run } from './load.ts';
import { names } from './operation-names.ts';
import {
  broadWord,
  type Person,
  person,
  personAtGmail,
  personMoved,
  rareWordOf,
  type WordKind,
  words,
} from './people.ts';
import type { Service } from './service.ts';

/** A server with a copy of a data set. Writes leave the set as large as it was. */
export interface Target {
  /** Of the large bot; 0 where there is none. */
  contacts: number;
  set: DataSet;
  storage: Storage;
  service: Service;
  /** Contacts that the run has made: they are to be deleted. */
  created: string[];
  /** Numbers of people beyond those of the set. */
  nextPerson: number;
}

export interface Operation {
  name: string;
  /** Left out: at each number of connections that the run has. */
  connections?: readonly number[];
  isWrite?: boolean;
  /** What it creates is left for the operation after it. */
  isForNext?: boolean;
  /** Whether it can also be asked of a server without the large bot. */
  isOfSmallBot?: boolean;
  next(target: Target): Exchange | undefined;
  /** Of one slice. Left out: as many as fit into its time. */
  requestsMax?(connections: number): number;
  /** Goes on until there is no next request, however long it takes. */
  isExhaustive?: boolean;
}

/** A page of the broad word, a quarter into it: page 10,000 of a million contacts. */
const deepPageMax = 10_000;
const pageSize = limits.pageSizeDefault;

const anyOf = <Item>(list: readonly Item[]): Item => list[Math.floor(Math.random() * list.length)] as Item;
const anyPerson = ({ contacts }: Target) => Math.floor(Math.random() * contacts);
const rowsOn = (page: number, total: number) => Math.max(0, Math.min(pageSize, total - (page - 1) * pageSize));

export function search({ service, set }: Target, word: string, total: number, page = 1): Exchange {
  const path = `contacts?query=${encodeURIComponent(word)}${page === 1 ? '' : `&page=${page}`}`;
  return service.exchange(set.big, 'POST', path, { status: 200, check: pageOf(total, rowsOn(page, total)) });
}

export function retrieve(target: Target): Exchange {
  const id = target.set.idOf(anyPerson(target));
  return target.service.exchange(target.set.big, 'GET', `contacts/${id}`, { status: 200, check: oneContact(id) });
}

export function list({ service, set, contacts }: Target): Exchange {
  return service.exchange(set.big, 'POST', 'contacts', { status: 200, check: pageOf(contacts, rowsOn(1, contacts)) });
}

export function searchOneHit(target: Target): Exchange {
  return search(target, rareWordOf(anyPerson(target)), 1);
}

export function searchSmallBot({ service, set }: Target): Exchange {
  const word = anyOf(words.thousands);
  const total = set.smallTotals[word] as number;
  const path = `contacts?query=${word}`;
  return service.exchange(set.small, 'POST', path, { status: 200, check: pageOf(total, rowsOn(1, total)) });
}

const searchOf = (kind: WordKind) => (target: Target) => {
  const word = anyOf<string>(words[kind]);
  return search(target, word, target.set.totals[word] as number);
};

function searchBroad(target: Target, pageOfTotal: (total: number) => number): Exchange {
  const total = target.set.totals[broadWord] as number;
  return search(target, broadWord, total, pageOfTotal(total));
}

/** `deep`: the position of a contact three quarters into the export. */
function exportPage({ service, set, contacts }: Target, deep?: DataSet['deep']): Exchange {
  const limit = limits.exportPageSizeMax;
  const path = `export?limit=${limit}${deep === undefined ? '' : `&after=${deep.position}`}`;
  const check = exportOf(Math.min(limit, deep?.rowsAfter ?? contacts), deep?.nextId);
  return service.exchange(set.big, 'GET', path, { status: 200, check });
}

export function create({ service, set, created }: Target, someone: Person): Exchange {
  const check = oneContact(undefined, (id) => created.push(id));
  return service.exchange(set.big, 'PUT', 'contacts', { status: 201, check }, someone);
}

function removeCreated({ service, set, created }: Target): Exchange | undefined {
  const id = created.pop();
  if (id === undefined) return undefined;
  return service.exchange(set.big, 'DELETE', `contacts/${id}`, { status: 204, check: empty });
}

/** Half of them change a contact, as far as there are so many, and half are new. */
function upsert(target: Target, from: number, change: number): Exchange {
  const known = Math.min(limits.contactsPerUpsert / 2, target.contacts - from);
  const created = limits.contactsPerUpsert - known;
  const firstNew = target.nextPerson;
  target.nextPerson += created;
  const data = [
    ...Array.from({ length: known }, (_, i) => personMoved(from + i, change)),
    ...Array.from({ length: created }, (_, i) => person(firstNew + i)),
  ];
  const check = upsertedOf(data.length, (ids) => target.created.push(...ids.slice(known)));
  return target.service.exchange(target.set.big, 'PATCH', 'contacts', { status: 200, check }, { data });
}

let changes = 0;

/** Deletes what was made, so that the set has its size again. */
export async function tidy(target: Target): Promise<void> {
  const { service } = target;
  await run({ name: 'tidying', port: service.port, connections: 10, next: () => removeCreated(target) });
}

export const operations: readonly Operation[] = [
  { name: names.retrieve, next: retrieve },
  { name: names.list, next: list },
  { name: names.oneHit, next: searchOneHit },
  { name: names.narrow, next: searchOf('thousands') },
  { name: names.narrowOfThree, next: searchOf('three') },
  { name: names.broad, next: (target) => searchBroad(target, () => 1) },
  {
    name: names.broadPaged,
    next: (target) => searchBroad(target, () => 2 + Math.floor(Math.random() * 9)),
  },
  {
    name: names.broadDeep,
    next: (target) =>
      searchBroad(target, (total) => Math.max(1, Math.min(deepPageMax, Math.floor(total / pageSize / 4)))),
  },
  { name: names.one, next: searchOf('one') },
  { name: names.oneWithoutHits, next: searchOf('oneWithoutHits') },
  { name: names.two, next: searchOf('two') },
  { name: names.twoWithoutHits, next: searchOf('twoWithoutHits') },
  { name: names.smallBot, next: searchSmallBot, isOfSmallBot: true },
  { name: names.exportFirst, next: (target) => exportPage(target) },
  { name: names.exportDeep, next: (target) => exportPage(target, target.set.deep) },
  { name: names.create, isWrite: true, isForNext: true, next: (target) => create(target, person(target.nextPerson++)) },
  { name: names.delete, isWrite: true, next: removeCreated, isExhaustive: true },
  {
    name: names.update,
    isWrite: true,
    next(target) {
      const n = anyPerson(target);
      const id = target.set.idOf(n);
      // Another name each time, and none that a search of the run would find or miss.
      const name = `${person(n).name} ${changes++}`;
      const expected = { status: 200, check: oneContact(id) };
      return target.service.exchange(target.set.big, 'PATCH', `contacts/${id}`, expected, { name });
    },
  },
  {
    name: names.upsert,
    isWrite: true,
    next: (target) => upsert(target, Math.max(0, anyPerson(target) - limits.contactsPerUpsert / 2), changes++),
    // What they create has to be deleted again.
    requestsMax: (connections) => Math.max(10, connections),
  },
  {
    name: names.broadWritten,
    isWrite: true,
    connections: [1],
    next: writeAndSearchInTurn(),
  },
];

/** A new contact that holds the word, then the word. The total follows each write at once. */
function writeAndSearchInTurn(): Operation['next'] {
  let isWritten = false;
  return (target) => {
    isWritten = !isWritten;
    if (!isWritten) return search(target, broadWord, (target.set.totals[broadWord] as number) + target.created.length);
    return { ...create(target, personAtGmail(target.nextPerson++)), isAside: true };
  };
}
