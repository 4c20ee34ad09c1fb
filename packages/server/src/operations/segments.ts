// The segments of a bot, with a secret or with a member's session. A member's changes are in the audit log, which names the
// key: what a segment filters by may be values of contacts.
import {
  faultOfKey,
  limits,
  type operations,
  type SegmentOperationName,
  segmentDefinitionSchema,
} from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { givenByObject, readFilters } from '../contacts/filter-input.ts';
import { ApiError, invalidRequest, noSuchBot, noSuchSegment } from '../http/api-error.ts';
import { clientLeft } from '../http/client-left.ts';
import type { Handler } from '../http/operation-types.ts';
import { fieldErrors } from '../http/validation.ts';
import type { Bot } from '../store/store.ts';
import type { StoredSegment } from '../store/values/attribute-store.ts';
import { contextOf } from './action-of.ts';
import { isFresh, prepareWanted, readWords } from './contact-filters.ts';
import { forMembersToo } from './for-members.ts';

type Operations = typeof operations;
type SegmentHandlers = {
  readonly [Name in SegmentOperationName]: Handler<Operations[Name] | Operations[`${Name}AsMember`]>;
};

export function segmentHandlers(deps: Pick<AccountDeps, 'store' | 'clock' | 'nextId'>) {
  const { store, clock } = deps;
  const wantedBy = prepareWanted(deps);

  const find = async (bot: Bot, key: string): Promise<StoredSegment> => {
    const segment = (await store.listSegments(bot.id)).find((each) => each.key === key);
    if (segment === undefined) throw noSuchSegment();
    return segment;
  };

  /** All faults are reported at once, those that only the attributes of the bot reveal too. */
  const read = async (bot: Bot, key: string, body: unknown): Promise<StoredSegment> => {
    const fault = faultOfKey(key);
    const errors = fault === undefined ? [] : [{ field: 'key', message: fault }];
    const parsed = segmentDefinitionSchema.safeParse(body ?? {});
    if (!parsed.success) throw invalidRequest([...errors, ...fieldErrors(parsed.error, 'body')]);
    const { label, query, filter, sort } = parsed.data;
    readWords(query);
    const definitions = await store.listAttributes(bot.id);
    errors.push(...readFilters(givenByObject(filter, 'filter'), definitions, clock()).errors);
    if (errors.length > 0) throw invalidRequest(errors);
    return { key, label, query, filter, sort };
  };

  const handlers: SegmentHandlers = {
    async defineSegment(call) {
      const { bot, params, rawBody } = call;
      const segment = await read(bot, params.key, rawBody);
      const outcome = await store.defineSegment(bot.id, segment, contextOf(deps, call, { name: params.key }));
      if (outcome.kind === 'missing') throw noSuchBot();
      if (outcome.kind === 'limit_reached') {
        throw new ApiError(
          'limit_reached',
          `This bot has reached the limit of ${limits.segmentsPerBot} segments. Delete one first.`,
        );
      }
      const isChanged = outcome.kind === 'changed';
      return { body: { data: segment }, isChanged };
    },

    async listSegments({ bot }) {
      return { body: { data: await store.listSegments(bot.id) } };
    },

    async retrieveSegment({ bot, params, query, request, asHeavy }) {
      const segment = await find(bot, params.key);
      if (!query.include.includes('total')) return { body: { data: segment } };
      const wanted = await wantedBy(bot, { query: '', segment: segment.key });
      const caller = { organizationId: bot.organizationId, signal: clientLeft(request) };
      const counted = { ...wanted, offset: 0, limit: 1, isFresh: isFresh(request) };
      const { total } = await asHeavy(() => store.searchContacts(bot.id, counted, caller));
      return { body: { data: { ...segment, total } } };
    },

    async deleteSegment(call) {
      const { bot, params } = call;
      const isDeleted =
        faultOfKey(params.key) === undefined &&
        (await store.deleteSegment(bot.id, params.key, contextOf(deps, call, { name: params.key })));
      if (!isDeleted) throw noSuchSegment();
      return {};
    },
  };
  return forMembersToo(handlers);
}
