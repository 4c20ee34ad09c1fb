// Which plan a search with filters or an order follows.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Filter, Sort } from '../../../contacts/filters.ts';
import { parseQuery } from '../../../contacts/search-text.ts';
import { choosePlan } from './choose-plan.ts';
import { exportMatches } from './plans/export.ts';
import type { Plan } from './plans/plan.ts';

const updated: Filter = { kind: 'updatedAt', fromMs: 1, toMs: 2 };
const sample = { contactCount: 1e6, shareOf: () => 0.01, matchShareOf: () => 0.01, filterShareOf: () => 0.01 };

interface Asked {
  text?: string;
  filters?: Filter[];
  sort?: Sort;
  /** What filters leave. */
  share?: number;
}

function planOf({ text = '', filters = [], sort, share = 1 }: Asked): Plan {
  const search = { words: parseQuery(text), filters, sort, offset: 0, limit: 10 };
  return choosePlan({ botId: 'bot_1', search, sample, shareOfFilter: () => share, isSharded: false, broadFrom: 2000 });
}

const textOf = ({ statement }: Plan) => (typeof statement === 'string' ? statement : statement.text);

suite('the choice of a plan', () => {
  test('a filter that leaves fewer contacts than the rarest word leads, and the word is checked on the rows', () => {
    for (const text of ['', 'jane', 'ja']) {
      const plan = planOf({ text, filters: [updated], share: 0.001 });
      assert.match(textOf(plan), /WHERE bot_id = \$1 AND .*updated_at BETWEEN/s);
      assert.doesNotMatch(textOf(plan), /search_tokens/);
      assert.equal(plan.isBroad, false);
    }
  });

  test('a word that is rarer than what a filter leaves leads, and the filter is checked on the rows', () => {
    const plan = planOf({ text: 'jane', filters: [updated], share: 0.5 });
    assert.match(textOf(plan), /search_tokens @> .* AND updated_at BETWEEN/s);
  });

  test('what is left by neither is a search that reads all contacts, and is queued as such', () => {
    assert.equal(planOf({ filters: [updated] }).isBroad, true);
    assert.equal(planOf({ text: 'ja', filters: [updated], share: 0.9 }).isBroad, true);
  });

  test('whoever has a tag or an attribute is counted by its definition', () => {
    const tag: Filter = { kind: 'tagNumber', numbers: [3] };
    const held: Filter = { kind: 'hasAttribute', number: 4 };
    assert.match(textOf(planOf({ filters: [tag], share: 0.5 })), /SELECT contact_count AS total FROM tags/);
    assert.match(textOf(planOf({ filters: [held], share: 0.5 })), /SELECT contact_count AS total FROM attributes/);
    assert.doesNotMatch(textOf(planOf({ filters: [tag, held], share: 0.5 })), /contact_count AS total/);
    assert.doesNotMatch(textOf(planOf({ text: 'jane', filters: [tag], share: 0.5 })), /contact_count AS total/);
  });

  test('frequent values are counted on their rows, and a page beside a total that is known is not', () => {
    const seats: Filter = { kind: 'attributeRange', number: 3, range: { gte: 1, lt: 9 } };
    const frequent = { ...sample, shareOf: () => 0.5, matchShareOf: () => 0.5 };
    for (const sort of [undefined, { field: 'name', isDescending: false } as const]) {
      const search = { words: [], filters: [seats], sort, offset: 0, limit: 10 };
      const bot = { botId: 'bot_1', sample: frequent, shareOfFilter: () => 0.5, isSharded: false, broadFrom: 2000 };
      const plan = choosePlan({ ...bot, search });
      // Rows that are all read are compared by value, and not by the tokens of the index.
      assert.match(textOf(plan), /count\(\*\)/);
      assert.doesNotMatch(textOf(plan), /filter_tokens &&/);
      const known = plan.besideTotal?.(400_000);
      assert.ok(known !== undefined && known.besideTotal === undefined && known.isBroad);
      assert.doesNotMatch(textOf(known), /count\(\*\)/);
      assert.equal(known.values.at(-1), 400_000);
    }
    const rare = planOf({ filters: [seats], share: 0.01 });
    assert.equal(rare.besideTotal, undefined);
    assert.match(textOf(rare), /filter_tokens && /);
  });

  test('a list in an order is read from its index', () => {
    const plan = planOf({ sort: { field: 'name', isDescending: true } });
    assert.equal(typeof plan.statement === 'object' && plan.statement.name, 'list_name_DESC');
    assert.equal(plan.isBroad, false);
  });

  test('connections keep few of the statements that filters and orders make', () => {
    const isPrepared = (asked: Asked) => typeof planOf(asked).statement === 'object';
    const mid: Filter = { kind: 'mid', value: 'm' };
    const sort: Sort = { field: 'email', isDescending: false };
    assert.ok(isPrepared({ text: 'jane doe xyz', share: 1 }));
    assert.ok(isPrepared({ text: 'jane', filters: [updated] }));
    assert.ok(!isPrepared({ text: 'jane', filters: [updated, mid] }));
    assert.ok(isPrepared({ text: 'jane', sort }));
    assert.ok(!isPrepared({ text: 'jane doe', sort }));
  });

  test('an export reads what few contacts a filter leaves by its index, and otherwise each contact once', () => {
    const bot = { botId: 'bot_1', sample, isSharded: false, broadFrom: 2000 };
    const pageOf = (share: number) =>
      exportMatches(
        { ...bot, shareOfFilter: () => share },
        { words: [], filters: [updated] },
        { after: '', limit: 10 },
      );
    assert.match(textOf(pageOf(0.001)), /^WITH hits/);
    assert.match(textOf(pageOf(1)), /ORDER BY id OFFSET 0/);
    assert.deepEqual([pageOf(0.001).isBroad, pageOf(1).isBroad], [false, true]);
    const created: Filter = { kind: 'createdAt', fromMs: 1, toMs: 2 };
    const walked = exportMatches(bot, { words: [], filters: [created] }, { after: '', limit: 10 });
    assert.match(textOf(walked), /WHERE bot_id = \$1 AND id > \$2 AND \(id > \$4 AND id < \$5\)/);
  });
});
