// The measured operations: the requests that each sends to a data set, and the responses that it expects.
import { limits } from '@roster/contract';
import type { BotAccess } from './bot-access.ts';
import type { DataSet } from './data-sets.ts';
import type { Storage } from './engine.ts';
import { type Exchange, run } from './load.ts';
import { names } from './operation-names.ts';
import { empty, exportOf, oneContact, pageOf, upsertedOf } from './response-checks.ts';
import {
  broadWord,
  changedContact,
  contactAtGmail,
  rareWordOf,
  type SampleContact,
  sampleContact,
  type WordKind,
  words,
} from './sample-contacts.ts';
import type { Service } from './service.ts';

/** A server with a copy of a data set. What an operation creates is deleted after it, so that the size stays. */
export interface Target {
  /** In the large bot; 0 when there is none. */
  contacts: number;
  set: DataSet;
  storage: Storage;
  service: Service;
  /** Ids of contacts that the run has created and must delete. */
  created: string[];
  /** The number of the next sample contact to create. Those below it are in the data set or were created before. */
  nextContact: number;
}

export interface Operation {
  name: string;
  /** Left out: at each number of connections that the run has. */
  connections?: readonly number[];
  isWrite?: boolean;
  /** What it creates stays for the next operation, which deletes it. */
  isForNext?: boolean;
  /** Whether it also runs against a server without the large bot. */
  isOfSmallBot?: boolean;
  next(target: Target): Exchange | undefined;
  /** The number of requests of one slice. Left out: as many as fit into its time. */
  requestsMax?(connections: number): number;
  /** Runs until there is no next request, however long that takes. */
  isExhaustive?: boolean;
  /** A visitor's calls are limited by address. */
  isFromManyAddresses?: boolean;
}

/** The deep page is a quarter into the hits of the broad word, which is page 10,000 in a bot of a million contacts. */
const deepPageMax = 10_000;
const pageSize = limits.pageSizeDefault;

const anyOf = <Item>(list: readonly Item[]): Item => list[Math.floor(Math.random() * list.length)] as Item;
const anyContact = ({ contacts }: Target) => Math.floor(Math.random() * contacts);
const rowsOn = (page: number, total: number) => Math.max(0, Math.min(pageSize, total - (page - 1) * pageSize));

export function search({ service, set }: Target, word: string, total: number, page = 1): Exchange {
  const path = `contacts?query=${encodeURIComponent(word)}${page === 1 ? '' : `&page=${page}`}`;
  return service.exchange(set.big, 'POST', path, { status: 200, check: pageOf(total, rowsOn(page, total)) });
}

export function retrieve(target: Target): Exchange {
  const id = target.set.idOf(anyContact(target));
  return target.service.exchange(target.set.big, 'GET', `contacts/${id}`, { status: 200, check: oneContact(id) });
}

export function list({ service, set, contacts }: Target): Exchange {
  return service.exchange(set.big, 'POST', 'contacts', { status: 200, check: pageOf(contacts, rowsOn(1, contacts)) });
}

export function searchOneHit(target: Target): Exchange {
  return search(target, rareWordOf(anyContact(target)), 1);
}

export function searchSmallBot({ service, set }: Target): Exchange {
  const word = anyOf(words.thousands);
  const total = set.smallTotals[word] as number;
  const path = `contacts?query=${word}`;
  return service.exchange(set.small as BotAccess, 'POST', path, {
    status: 200,
    check: pageOf(total, rowsOn(1, total)),
  });
}

const searchOf = (kind: WordKind) => (target: Target) => {
  const word = anyOf<string>(words[kind]);
  return search(target, word, target.set.totals[word] as number);
};

function searchBroad(target: Target, pageOfTotal: (total: number) => number): Exchange {
  const total = target.set.totals[broadWord] as number;
  return search(target, broadWord, total, pageOfTotal(total));
}

/** The first page, or with `deep` the page at that position. */
function exportPage({ service, set, contacts }: Target, deep?: DataSet['deep']): Exchange {
  const limit = limits.exportPageSizeMax;
  const path = `export?limit=${limit}${deep === undefined ? '' : `&after=${deep.position}`}`;
  const check = exportOf(Math.min(limit, deep?.rowsAfter ?? contacts), deep?.nextId);
  return service.exchange(set.big, 'GET', path, { status: 200, check });
}

export function create({ service, set, created }: Target, contact: SampleContact): Exchange {
  const check = oneContact(undefined, (id) => created.push(id));
  return service.exchange(set.big, 'PUT', 'contacts', { status: 201, check }, contact);
}

function removeCreated({ service, set, created }: Target): Exchange | undefined {
  const id = created.pop();
  if (id === undefined) return undefined;
  return service.exchange(set.big, 'DELETE', `contacts/${id}`, { status: 204, check: empty });
}

/** Half of the items change existing contacts, as far as there are enough, and the others create contacts. */
function upsert(target: Target, from: number, change: number): Exchange {
  const known = Math.min(limits.contactsPerUpsert / 2, target.contacts - from);
  const created = limits.contactsPerUpsert - known;
  const firstNew = target.nextContact;
  target.nextContact += created;
  const data = [
    ...Array.from({ length: known }, (_, i) => changedContact(from + i, change)),
    ...Array.from({ length: created }, (_, i) => sampleContact(firstNew + i)),
  ];
  const check = upsertedOf(data.length, (ids) => target.created.push(...ids.slice(known)));
  return target.service.exchange(target.set.big, 'PATCH', 'contacts', { status: 200, check }, { data });
}

let changes = 0;

/** Deletes what the run has created, so that the data set has its size again. */
export async function deleteCreated(target: Target): Promise<void> {
  const { service } = target;
  await run({ name: 'cleaning up', port: service.port, connections: 10, next: () => removeCreated(target) });
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
  {
    name: names.create,
    isWrite: true,
    isForNext: true,
    next: (target) => create(target, sampleContact(target.nextContact++)),
  },
  { name: names.delete, isWrite: true, next: removeCreated, isExhaustive: true },
  {
    name: names.update,
    isWrite: true,
    next(target) {
      const n = anyContact(target);
      const id = target.set.idOf(n);
      // A different name each time that changes no search's total: it only appends a number.
      const name = `${sampleContact(n).name} ${changes++}`;
      const expected = { status: 200, check: oneContact(id) };
      return target.service.exchange(target.set.big, 'PATCH', `contacts/${id}`, expected, { name });
    },
  },
  {
    name: names.upsert,
    isWrite: true,
    next: (target) => upsert(target, Math.max(0, anyContact(target) - limits.contactsPerUpsert / 2), changes++),
    // Bounded, because every contact that an upsert creates has to be deleted again.
    requestsMax: (connections) => Math.max(10, connections),
  },
  {
    name: names.broadWritten,
    isWrite: true,
    connections: [1],
    next: alternateCreateAndSearch(),
  },
];

/** Creates a contact that matches the broad word, then searches for it. A total that is slow to count may be some seconds old. */
function alternateCreateAndSearch(): Operation['next'] {
  let isCreated = false;
  return (target) => {
    isCreated = !isCreated;
    const { service, set, created: added } = target;
    if (!isCreated) {
      const before = set.totals[broadWord] as number;
      const total = before + added.length;
      const check = pageOf(total, rowsOn(1, total), before > 10_000 ? before : total);
      return service.exchange(set.big, 'POST', `contacts?query=${broadWord}`, { status: 200, check });
    }
    return { ...create(target, contactAtGmail(target.nextContact++)), isUnmeasured: true };
  };
}
