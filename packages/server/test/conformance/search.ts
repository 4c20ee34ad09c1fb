// Conformance: what a search finds, in which order, and how many. Runs on each plan that an engine may search by,
// and asks every question twice: right after the writes, and when the engine's background work is done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Contact, limits } from '@roster/contract';
import { makeId } from '../../src/contacts/ids.ts';
import { matches, parseQuery } from '../../src/contacts/search-text.ts';
import type { ContactFields } from '../../src/store/store.ts';
import { sampleContext, sampleFields, sampleNowMs, withKey } from '../sample.ts';
import { type Engine, type EngineOptions, shareStore, type TestBot } from './engine.ts';

type Fields = Partial<Omit<ContactFields, 'emailKey'>>;

/** Enough contacts to pass the tiny index threshold. No question below finds them: their texts are all `q`. */
const crowd = Array.from({ length: 8 }, (_, index) => withKey({ name: 'Q', email: `${'q'.repeat(index + 1)}@q` }));

/** Adds the crowd and then each contact, in order. */
async function fill({ store, botId, create }: TestBot, contacts: readonly Fields[]): Promise<Contact[]> {
  await store.upsertContacts(botId, crowd, sampleContext());
  const made = [];
  for (const [index, fields] of contacts.entries()) {
    made.push(await create({ email: `${'q'.repeat(index + 20)}@q`, ...fields }));
  }
  return made;
}

/** Each query finds exactly the contacts with these names, newest first; and an export of it the same, oldest first. */
async function assertFinds(bot: TestBot, expected: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const ask = async (when: string) => {
    for (const [query, names] of Object.entries(expected)) {
      const { contacts, total } = await bot.search(query);
      assert.deepEqual(
        contacts.map(({ name }) => name),
        names,
        `${JSON.stringify(query)} ${when}`,
      );
      assert.equal(total, names.length, `the total of ${JSON.stringify(query)} ${when}`);
      const exported = await bot.exportAll(2, query);
      assert.deepEqual(exported, contacts.toReversed(), `the export of ${JSON.stringify(query)} ${when}`);
    }
  };
  await ask('right after the writes');
  await bot.settle();
  await ask('when all is settled');
}

export function testSearch(engine: Engine, options: EngineOptions): void {
  const start = shareStore(engine, options);

  test('without words a search finds every contact, newest first', async () => {
    const bot = await start();
    assert.deepEqual(await bot.search(''), { contacts: [], total: 0 });
    const contacts = await fill(bot, [{}, {}, {}]);
    const { contacts: found, total } = await bot.search(' ');
    assert.equal(total, 11);
    assert.deepEqual(found.slice(0, 3), contacts.toReversed());
    assert.deepEqual(found, (await bot.exportAll()).toReversed());
  });

  test('a word is found anywhere in name, email, phone, mid and wid', async () => {
    const bot = await start();
    await fill(bot, [
      { name: 'Jane Doe' },
      { name: 'B', email: 'john.doe@example.com' },
      { name: 'C', phone: 'ext 4711' },
      { name: 'D', mid: 'Mid-Doe-9' },
      { name: 'E', wid: '+491234711' },
    ]);
    await assertFinds(bot, {
      doe: ['D', 'B', 'Jane Doe'],
      'ane Do': ['Jane Doe'],
      hn: ['B'],
      'doe@ex': ['B'],
      'example.com': ['B'],
      '4711': ['E', 'C'],
      xt: ['C'],
      '-doe-': ['D'],
      '+4912': ['E'],
      nowhere: [],
    });
  });

  test('every word must occur, in any field and any order', async () => {
    const bot = await start();
    await fill(bot, [
      { name: 'John Doe', email: 'jd@work.example' },
      { name: 'John Roe', email: 'jr@home.example', phone: '4711' },
      { name: 'Jane Doe', email: 'jane@home.example' },
    ]);
    await assertFinds(bot, {
      'doe john': ['John Doe'],
      'john home': ['John Roe'],
      'home DOE': ['Jane Doe'],
      'oe jo': ['John Roe', 'John Doe'],
      'oe oe  \t oe': ['Jane Doe', 'John Roe', 'John Doe'],
      'john 4711 @': ['John Roe'],
      'doe 4711': [],
      johndoe: [],
    });
  });

  test('a match does not reach from one field into the next', async () => {
    const bot = await start();
    await fill(bot, [{ name: 'Anna', email: 'bert@x.test', phone: '123', mid: '456', wid: '+7890123' }]);
    await assertFinds(bot, { annabert: [], test123: [], '123456': [], '+78901231': [], '456123': [], anna: ['Anna'] });
  });

  test('case and accents do not matter, on either side', async () => {
    const bot = await start();
    const names = ['José Ångström', 'Jose Angstrom', 'Łukasz Øre', 'Straße', 'ΟΔΥΣΣΕΥΣ'];
    await fill(
      bot,
      names.map((name) => ({ name })),
    );
    await assertFinds(bot, {
      jose: ['Jose Angstrom', 'José Ångström'],
      JOSÉ: ['Jose Angstrom', 'José Ångström'],
      'jose\u0301': ['Jose Angstrom', 'José Ångström'],
      ångstrom: ['Jose Angstrom', 'José Ångström'],
      lukasz: ['Łukasz Øre'],
      'ŁUK ør': ['Łukasz Øre'],
      STRASSE: ['Straße'],
      straß: ['Straße'],
      οδυσσευς: ['ΟΔΥΣΣΕΥΣ'],
      οδυσ: ['ΟΔΥΣΣΕΥΣ'],
    });
  });

  test('marks that carry meaning are kept', async () => {
    const bot = await start();
    await fill(bot, [{ name: 'कमल' }, { name: 'कमला' }, { name: 'ไทย' }, { name: 'ガラス' }, { name: 'カラス' }]);
    await assertFinds(bot, {
      कमल: ['कमला', 'कमल'],
      कमला: ['कमला'],
      ไทย: ['ไทย'],
      ガラス: ['ガラス'],
      カラス: ['カラス'],
      ラス: ['カラス', 'ガラス'],
    });
  });

  test('words of one and two characters are found, also beyond the basic plane', async () => {
    const bot = await start();
    await fill(bot, [{ name: '李小龍' }, { name: '李娜' }, { name: '𠮷野' }, { name: '👍🏽👍' }, { name: '👍' }]);
    await assertFinds(bot, {
      李: ['李娜', '李小龍'],
      小龍: ['李小龍'],
      李娜: ['李娜'],
      李龍: [],
      𠮷: ['𠮷野'],
      𠮷野: ['𠮷野'],
      '👍': ['👍', '👍🏽👍'],
      '🏽👍': ['👍🏽👍'],
      '👍👍': [],
      '👍🏽👍': ['👍🏽👍'],
    });
  });

  test('a number is found as written or by its digits', async () => {
    const bot = await start();
    await fill(bot, [
      { name: 'A', phone: '+1 (555) 010-0' },
      { name: 'B', wid: '+15550100' },
      { name: 'C', mid: '555-0100' },
      { name: 'D', phone: '0155' },
    ]);
    await assertFinds(bot, {
      '5550100': ['B', 'A'],
      '555-0100': ['C', 'B', 'A'],
      '(555)': ['C', 'B', 'A'],
      '+1555': ['B', 'A'],
      '010-0': ['C', 'B', 'A'],
      '55': ['D', 'C', 'B', 'A'],
      '555 010': ['C', 'B', 'A'],
      '5550101': [],
      '+-()': [],
    });
  });

  test('characters with a meaning in SQL or in an index are plain characters', async () => {
    const bot = await start();
    const names = [
      '100% A_B',
      'C*D "quoted"',
      "O\u2019Neil O'Neil",
      'back\\slash',
      'AND OR NOT',
      'a-b:c^d{e}',
      'x%y%z',
      '50 A-B',
    ];
    await fill(
      bot,
      names.map((name) => ({ name })),
    );
    await assertFinds(bot, {
      '%': ['x%y%z', '100% A_B'],
      '100%': ['100% A_B'],
      '%y%': ['x%y%z'],
      x_y: [],
      'x%z': [],
      a_b: ['100% A_B'],
      '*': ['C*D "quoted"'],
      'c*d': ['C*D "quoted"'],
      'c*': ['C*D "quoted"'],
      '"': ['C*D "quoted"'],
      '"quoted"': ['C*D "quoted"'],
      '"quoted': ['C*D "quoted"'],
      '"c*d': [],
      '""': [],
      '"""': [],
      "o'neil": ["O’Neil O'Neil"],
      "'": ["O’Neil O'Neil"],
      "';--": [],
      '\\': ['back\\slash'],
      'k\\s': ['back\\slash'],
      'back\\\\': [],
      'and or not': ['AND OR NOT'],
      'b:c^d{': ['a-b:c^d{e}'],
      'b:c': ['a-b:c^d{e}'],
      '-b:c': ['a-b:c^d{e}'],
      '^d{e': ['a-b:c^d{e}'],
      'near(a b)': [],
      'search_text:and': [],
      '?1': [],
      $1: [],
    });
  });

  test('a NUL finds nothing', async () => {
    const bot = await start();
    await fill(bot, [{ name: 'Jane Doe' }]);
    await assertFinds(bot, {
      '\0': [],
      'jane\0': [],
      '\0jane': [],
      'jane \0': [],
      'ja\0ne': [],
      'jane\0" or "jane': [],
    });
  });

  test('a contact is found by its id: the whole of it, its beginning, and any part', async () => {
    const bot = await start();
    await fill(bot, [{ name: 'A' }, { name: 'B' }]);
    const all = (await bot.exportAll()).toReversed();
    const ask = async () => {
      for (const { id } of all) {
        assert.deepEqual(
          (await bot.search(id)).contacts.map((found) => found.id),
          [id],
        );
        assert.equal((await bot.search(id.toUpperCase())).total, 1);
        for (const part of [
          id.slice(0, 12),
          id.slice(2, 20),
          id.slice(-9),
          id.slice(-8, -1),
          id.slice(-2),
          id.at(-1),
        ]) {
          const expected = all.filter((contact) => matches(contact, parseQuery(part as string)));
          assert.deepEqual(await bot.search(part as string), { contacts: expected, total: expected.length });
        }
      }
      for (const query of ['con', 'con_', '_', 'C']) assert.equal((await bot.search(query)).total, all.length);
      assert.equal((await bot.search(makeId('contact', sampleNowMs * 1000))).total, 0);
      assert.equal((await bot.search(`${all[0]?.id}0`)).total, 0);
    };
    await ask();
    await bot.settle();
    await ask();
  });

  test('times are not searched', async () => {
    const bot = await start();
    await fill(bot, []);
    await assertFinds(bot, { '2026-11': [], '09:30': [], '2026': [] });
  });

  test('a search finds what is there now, after any number of changes', async () => {
    const bot = await start();
    const { store, botId } = bot;
    const [one, other] = (await fill(bot, [{ name: 'Alpha One' }, { name: 'Alpha Two' }])) as [Contact, Contact];
    await assertFinds(bot, { alpha: ['Alpha Two', 'Alpha One'] });
    await store.updateContact(botId, other.id, { phone: '0815' }, sampleContext());
    await assertFinds(bot, { alpha: ['Alpha Two', 'Alpha One'], '0815': ['Alpha Two'] });
    await store.updateContact(botId, one.id, { name: 'Beta One' }, sampleContext());
    await assertFinds(bot, { alpha: ['Alpha Two'], beta: ['Beta One'] });
    await store.updateContact(botId, one.id, { phone: '4711' }, sampleContext());
    await store.updateContact(botId, one.id, { name: 'Alpha One' }, sampleContext());
    await assertFinds(bot, { alpha: ['Alpha Two', 'Alpha One'], beta: [], '4711': ['Alpha One'] });
    await store.deleteContact(botId, other.id, sampleContext());
    await assertFinds(bot, { alpha: ['Alpha One'], two: [] });
    await bot.create({ name: 'Alpha Three' });
    await store.deleteContact(botId, one.id, sampleContext());
    await assertFinds(bot, { alpha: ['Alpha Three'], '4711': [] });
    const [last] = (await bot.search('alpha')).contacts;
    await store.updateContact(botId, last?.id as string, { name: 'Gamma' }, sampleContext());
    await store.deleteContact(botId, last?.id as string, sampleContext());
    await assertFinds(bot, { alpha: [], gamma: [] });
  });

  test('a search sees the contacts of its bot only', async () => {
    const [bot, other, empty] = [await start(), await start(), await start()];
    await fill(bot, [{ name: 'Jane One' }]);
    await fill(other, [{ name: 'Jane Two' }, { name: 'Jane Three' }]);
    await assertFinds(bot, { jane: ['Jane One'], two: [] });
    await assertFinds(other, { jane: ['Jane Three', 'Jane Two'], one: [] });
    await assertFinds(empty, { jane: [], '': [], q: [] });
  });

  test('pages cut one ordered list, and the total is the same on each, also past the end', async () => {
    const bot = await start();
    const names = Array.from({ length: 23 }, (_, index) => (index % 2 === 0 ? `Even ${index}` : `Odd ${index}`));
    await fill(
      bot,
      names.map((name) => ({ name })),
    );
    const newestFirst = names.toReversed();
    const ask = async () => {
      for (const [query, expected] of [
        ['even', newestFirst.filter((name) => name.startsWith('Even'))],
        ['dd', newestFirst.filter((name) => name.startsWith('Odd'))],
        ['', [...newestFirst, ...crowd.map(({ name }) => name)]],
      ] as const) {
        for (const [offset, limit] of [
          [0, 5],
          [5, 5],
          [10, 5],
          [0, 1],
          [3, 100],
          [expected.length - 1, 4],
          [expected.length, 4],
          [1000, 10],
        ] as const) {
          const { contacts, total } = await bot.search(query, { offset, limit });
          assert.deepEqual(
            contacts.map(({ name }) => name),
            expected.slice(offset, offset + limit),
          );
          assert.equal(total, expected.length, `the total of ${query} at ${offset}`);
        }
      }
      const far = await bot.search('even', { offset: Number.MAX_SAFE_INTEGER - 100, limit: 100 });
      assert.deepEqual(far, { contacts: [], total: 12 });
    };
    await ask();
    await bot.settle();
    await ask();
  });

  test('contacts of the same millisecond are ordered by id, newest first', async () => {
    const bot = await start();
    await bot.store.upsertContacts(
      bot.botId,
      Array.from({ length: 50 }, () => sampleFields()),
      sampleContext(),
    );
    const ids = (await bot.search('person')).contacts.map(({ id }) => id);
    assert.equal(ids.length, 50);
    assert.deepEqual(ids, ids.toSorted().toReversed());
  });

  test('a search may hold as many words as the contract allows, and long ones', async () => {
    const bot = await start();
    const words = Array.from({ length: limits.searchWords }, (_, index) => `w${index}w`);
    await fill(bot, [{ name: words.join(' ') }, { name: 'z'.repeat(limits.nameLength) }]);
    const [all] = (await bot.search(words.at(-1) as string)).contacts;
    await assertFinds(bot, {
      [words.join(' ')]: [all?.name as string],
      [`${words.slice(1).join(' ')} absent`]: [],
      ['z'.repeat(limits.nameLength)]: ['z'.repeat(limits.nameLength)],
      ['z'.repeat(5000)]: [],
      [Array.from({ length: limits.searchWords }, (_, index) => `(${index})-${index}`).join(' ')]: [],
    });
  });
}
