// What a list, a search or an export is asked for: words, filters and order, by its parameters and by the segment that they
// name.
import { type FieldError, filterParameters, isAttributeParameter, limits } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { givenByObject, givenByParameters, readFilters } from '../contacts/filter-input.ts';
import { type Sort, sortOf } from '../contacts/filters.ts';
import { parseQuery, type SearchWord, withoutImplied } from '../contacts/search-text.ts';
import { invalidRequest } from '../http/api-error.ts';
import type { Bot, Wanted } from '../store/store.ts';
import type { StoredSegment } from '../store/values/attribute-store.ts';

type AskedParameters = {
  query: string;
  sort?: string | undefined;
  segment?: string | undefined;
};

export function prepareWanted({ store, clock }: Pick<AccountDeps, 'store' | 'clock'>) {
  return async ({ id: botId }: Bot, parameters: AskedParameters): Promise<Wanted & { sort: Sort }> => {
    const segment = await findSegment(botId, parameters.segment);
    const conditions = Object.entries(parameters).filter(([name, value]) => isCondition(name) && value !== undefined);
    const ofParameters = givenByParameters(Object.fromEntries(conditions));
    const given = [ofParameters, ...(segment === undefined ? [] : [givenByObject(segment.filter, 'filter')])];
    const hasAttributes = given.flat().some(({ field }) => field === 'attributes');
    const definitions = hasAttributes ? await store.listAttributes(botId) : [];
    const read = given.map((each) => readFilters(each, definitions, clock()));
    const [errors = [], errorsOfSegment = []] = read.map((each) => each.errors);
    if (errors.length + errorsOfSegment.length > 0)
      throw invalidRequest([...errors, ...errorsOfSegment.map(asOfSegment)]);
    return {
      words: readWords(`${parameters.query} ${segment?.query ?? ''}`),
      filters: read.flatMap(({ filters }) => filters),
      sort: sortOf(parameters.sort ?? segment?.sort ?? '-createdAt'),
    };
  };

  async function findSegment(botId: string, key: string | undefined): Promise<StoredSegment | undefined> {
    if (key === undefined) return undefined;
    const segment = (await store.listSegments(botId)).find((each) => each.key === key);
    if (segment === undefined) throw invalidRequest([{ field: 'segment', message: 'is not a segment of this bot' }]);
    return segment;
  }
}

/** For the audit log: what narrows a list, without what it is compared with. Undefined: nothing does. */
export function namesOfFilters({
  query,
  ...parameters
}: AskedParameters & Record<string, unknown>): string | undefined {
  const isGiven = (name: string) => (isCondition(name) || name === 'segment') && parameters[name] !== undefined;
  const names = Object.keys(parameters).filter(isGiven);
  const all = [...(query.trim() === '' ? [] : ['query']), ...names].sort();
  return all.length === 0 ? undefined : all.join();
}

/** Whether a parameter of this name is a condition by itself. */
function isCondition(name: string): boolean {
  return (Object.hasOwn(filterParameters, name) && name !== 'segment') || isAttributeParameter(name);
}

/** What the segment names may have been deleted since it was made. */
function asOfSegment({ field, message }: FieldError): FieldError {
  return { field: 'segment', message: `cannot be used, because its ${field} ${message}` };
}

/** Whether the total must be counted anew: see `totalAge` in the contract. */
export function isFresh({ headers }: { headers: { 'cache-control'?: string | undefined } }): boolean {
  return /(^|,)\s*no-cache\s*(,|$)/i.test(headers['cache-control'] ?? '');
}

export function readWords(query: string): SearchWord[] {
  const words = parseQuery(query);
  if (words.length <= limits.searchWords) return withoutImplied(words);
  throw invalidRequest([{ field: 'query', message: `must have at most ${limits.searchWords} different words` }]);
}
