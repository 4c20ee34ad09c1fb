// Conformance: contact tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeId } from '../../src/contacts/ids.ts';
import type { ContactTokenState, Store, TokenPosition } from '../../src/store/store.ts';
import { sampleBot, sampleContext, sampleHash, sampleNowMs, sampleToken } from '../sample.ts';
import { type Engine, shareStore } from './engine.ts';
import { purgeInSlices } from './purge.ts';

/** All that are listed of a contact, whether or not they have expired. */
async function list(store: Store, botId: string, contactId: string): Promise<Omit<ContactTokenState, 'hash'>[]> {
  const { tokens } = await store.listContactTokens(botId, contactId, { nowMs: 0, limit: 100 });
  return tokens.map(({ hash: _hash, ...times }) => times);
}

export function testTokens(engine: Engine): void {
  const start = shareStore(engine);

  test('a token finds its contact, by the name it has now', async () => {
    const { store, botId, create } = await start();
    const contact = await create({ name: 'Jane' });
    const token = sampleToken();
    const { expiresAtMs } = token;
    assert.equal(await store.createContactToken(botId, contact.id, token, undefined, sampleContext()), true);
    assert.deepEqual(await store.findVisitor(botId, token.hash), { id: contact.id, name: 'Jane', expiresAtMs });
    await store.updateContact(botId, contact.id, { name: 'Janet' }, sampleContext({ nowMs: sampleNowMs + 1 }));
    assert.deepEqual(await store.findVisitor(botId, token.hash), { id: contact.id, name: 'Janet', expiresAtMs });
    assert.equal(await store.findVisitor(botId, sampleHash()), undefined);
  });

  test('no token is created for a contact or bot that does not exist', async () => {
    const { store, botId, create } = await start();
    const other = await start();
    const contact = await create();
    const token = sampleToken();
    assert.equal(await store.createContactToken(botId, makeId('contact', 1), token, undefined, sampleContext()), false);
    assert.equal(await store.createContactToken(other.botId, contact.id, token, undefined, sampleContext()), false);
    assert.equal(
      await store.createContactToken(sampleBot('org_none').id, contact.id, token, undefined, sampleContext()),
      false,
    );
    for (const id of [botId, other.botId]) assert.equal(await store.findVisitor(id, token.hash), undefined);
  });

  test('a contact may hold several tokens, and each is revoked alone', async () => {
    const { store, botId, create } = await start();
    const contact = await create();
    const [revoked, kept] = [sampleToken(), sampleToken()];
    await store.createContactToken(botId, contact.id, revoked, undefined, sampleContext());
    await store.createContactToken(botId, contact.id, kept, undefined, sampleContext());
    assert.equal(await store.revokeContactToken(botId, revoked.hash, sampleContext()), true);
    assert.equal(await store.revokeContactToken(botId, revoked.hash, sampleContext()), false);
    assert.equal(await store.findVisitor(botId, revoked.hash), undefined);
    assert.equal((await store.findVisitor(botId, kept.hash))?.id, contact.id);
  });

  test('all tokens of a contact are revoked together, those of no other contact, and new ones work', async () => {
    const { store, botId, create } = await start();
    const [jane, joe] = [await create(), await create()];
    const [first, second, later, joes] = [sampleToken(), sampleToken(), sampleToken(), sampleToken()];
    for (const token of [first, second])
      await store.createContactToken(botId, jane.id, token, undefined, sampleContext());
    await store.createContactToken(botId, joe.id, joes, undefined, sampleContext());
    const [isRevoked, isSingleRevoked, isMade] = await Promise.all([
      store.revokeContactTokens(botId, jane.id, sampleContext()),
      store.revokeContactToken(botId, first.hash, sampleContext()),
      store.createContactToken(botId, jane.id, later, undefined, sampleContext()),
    ]);
    assert.deepEqual([isRevoked, isSingleRevoked, isMade], [true, false, true]);
    for (const { hash } of [first, second]) assert.equal(await store.findVisitor(botId, hash), undefined);
    assert.equal((await store.findVisitor(botId, later.hash))?.id, jane.id);
    assert.equal((await store.findVisitor(botId, joes.hash))?.id, joe.id);
    assert.equal((await list(store, botId, jane.id)).length, 1);
    assert.equal(await store.revokeContactTokens(botId, makeId('contact', 1), sampleContext()), false);
    const other = await start();
    assert.equal(await store.revokeContactTokens(other.botId, joe.id, sampleContext()), false);
    assert.ok(await store.findVisitor(botId, joes.hash));
    assert.equal(await store.revokeContactTokens(botId, jane.id, sampleContext()), true);
    await store.deleteContact(botId, jane.id, sampleContext());
    assert.equal(await store.revokeContactTokens(botId, jane.id, sampleContext()), false);
  });

  test('a token of another bot is neither found nor revoked', async () => {
    const [bot, other] = [await start(), await start()];
    const { store, botId } = bot;
    const contact = await bot.create();
    const token = sampleToken();
    await store.createContactToken(botId, contact.id, token, undefined, sampleContext());
    assert.equal(await store.findVisitor(other.botId, token.hash), undefined);
    assert.equal(await store.revokeContactToken(other.botId, token.hash, sampleContext()), false);
    assert.equal((await store.findVisitor(botId, token.hash))?.id, contact.id);
  });

  test('a deleted contact’s tokens die with it, and no others', async () => {
    const { store, botId, create } = await start();
    const [deleted, kept] = [await create(), await create()];
    const tokens = [sampleToken(), sampleToken(), sampleToken()] as const;
    await store.createContactToken(botId, deleted.id, tokens[0], undefined, sampleContext());
    await store.createContactToken(botId, kept.id, tokens[1], undefined, sampleContext());
    await store.createContactToken(botId, deleted.id, tokens[2], undefined, sampleContext());
    await store.deleteContact(botId, deleted.id, sampleContext());
    assert.equal(await store.findVisitor(botId, tokens[0].hash), undefined);
    assert.equal(await store.findVisitor(botId, tokens[2].hash), undefined);
    assert.equal(await store.revokeContactToken(botId, tokens[0].hash, sampleContext()), false);
    assert.equal((await store.findVisitor(botId, tokens[1].hash))?.id, kept.id);
  });

  test('a token made while its contact is being deleted does not outlive it', async () => {
    const { store, botId, create } = await start();
    const contact = await create();
    const tokens = Array.from({ length: 10 }, () => sampleToken());
    const creations = tokens.map((token) =>
      store.createContactToken(botId, contact.id, token, undefined, sampleContext()),
    );
    await Promise.all([
      ...creations.slice(0, 5),
      store.deleteContact(botId, contact.id, sampleContext()),
      ...creations.slice(5),
    ]);
    for (const { hash } of tokens) assert.equal(await store.findVisitor(botId, hash), undefined);
  });

  test('an expired token is found until it is purged, from the instant of its expiry on', async () => {
    const { store, botId, create } = await start();
    const contact = await create();
    const expiresAtMs = sampleNowMs + 1000;
    const [expiring, lasting] = [sampleToken({ expiresAtMs }), sampleToken({ expiresAtMs: expiresAtMs + 1 })];
    await store.createContactToken(botId, contact.id, expiring, undefined, sampleContext());
    await store.createContactToken(botId, contact.id, lasting, undefined, sampleContext());
    while (await store.purge(10, 0, sampleContext({ nowMs: expiresAtMs - 1 })));
    assert.equal((await store.findVisitor(botId, expiring.hash))?.expiresAtMs, expiresAtMs);
    while (await store.purge(10, 0, sampleContext({ nowMs: expiresAtMs })));
    assert.equal(await store.findVisitor(botId, expiring.hash), undefined);
    assert.equal((await store.findVisitor(botId, lasting.hash))?.id, contact.id);
    assert.deepEqual(await store.findContact(botId, contact.id), contact);
  });

  test('a short token is purged at its end beside one of a year, and the contact keeps when it was last seen', async () => {
    const { store, botId, create } = await start();
    const { id } = await create();
    const short = sampleToken({ expiresAtMs: sampleNowMs + 60_000 });
    const long = sampleToken();
    for (const token of [short, long]) await store.createContactToken(botId, id, token, undefined, sampleContext());
    const seenAtMs = sampleNowMs + 1000;
    await store.noteTokensSeen(botId, [{ hash: short.hash, seenAtMs }], sampleContext());
    while (await store.purge(10, 0, sampleContext({ nowMs: short.expiresAtMs })));
    assert.equal(await store.findVisitor(botId, short.hash), undefined);
    assert.equal((await store.findVisitor(botId, long.hash))?.expiresAtMs, long.expiresAtMs);
    assert.deepEqual(await store.findLastSeen(botId, [id]), [seenAtMs]);
  });

  test('a contact’s tokens are listed oldest first, with their times, without those of other contacts', async () => {
    const [bot, other] = [await start(), await start()];
    const { store, botId } = bot;
    const [contact, neighbour] = [await bot.create(), await bot.create()];
    const newer = sampleToken({ createdAtMs: sampleNowMs + 5 });
    const older = sampleToken();
    for (const token of [newer, older])
      await store.createContactToken(botId, contact.id, token, undefined, sampleContext());
    await store.createContactToken(botId, neighbour.id, sampleToken(), undefined, sampleContext());
    const expected = [older, newer].map(({ createdAtMs, expiresAtMs }) => {
      return { createdAtMs, expiresAtMs, lastSeenAtMs: undefined };
    });
    assert.deepEqual(await list(store, botId, contact.id), expected);
    assert.deepEqual(await list(store, other.botId, contact.id), []);
    assert.deepEqual(await list(store, botId, makeId('contact', 1)), []);
    assert.deepEqual(await list(store, sampleBot('org_none').id, contact.id), []);
    await store.revokeContactToken(botId, older.hash, sampleContext());
    assert.deepEqual(await list(store, botId, contact.id), expected.slice(1));
    await store.deleteContact(botId, contact.id, sampleContext());
    assert.deepEqual(await list(store, botId, contact.id), []);
  });

  test('tokens are listed in pages, from a position on whose token may be gone, without expired ones', async () => {
    const { store, botId, create } = await start();
    const { id } = await create();
    // Several of the same millisecond, and two that have expired.
    const tokens = Array.from({ length: 9 }, (_, index) =>
      sampleToken({ createdAtMs: sampleNowMs + Math.floor(index / 4), expiresAtMs: sampleNowMs + (index % 5) * 1000 }),
    );
    for (const token of tokens) await store.createContactToken(botId, id, token, undefined, sampleContext());
    const live = tokens
      .filter(({ expiresAtMs }) => expiresAtMs > sampleNowMs)
      .toSorted((one, other) => one.createdAtMs - other.createdAtMs || Buffer.compare(one.hash, other.hash));
    const seen: number[][] = [];
    let after: TokenPosition | undefined;
    do {
      const page = await store.listContactTokens(botId, id, { nowMs: sampleNowMs, after, limit: 2 });
      seen.push(...page.tokens.map(({ createdAtMs, expiresAtMs }) => [createdAtMs, expiresAtMs]));
      after = page.next;
      if (after !== undefined) await store.revokeContactToken(botId, after.hash, sampleContext());
    } while (after !== undefined);
    assert.deepEqual(
      seen,
      live.map(({ createdAtMs, expiresAtMs }) => [createdAtMs, expiresAtMs]),
    );
  });

  test('tokens of the same millisecond are listed in the order of their hashes', async () => {
    const { store, botId, create } = await start();
    const { id } = await create();
    const tokens = Array.from({ length: 8 }, (_, index) => sampleToken({ expiresAtMs: sampleNowMs + 1000 + index }));
    for (const token of tokens) await store.createContactToken(botId, id, token, undefined, sampleContext());
    const inOrder = tokens.toSorted((one, another) => Buffer.compare(one.hash, another.hash));
    const keysOf = (all: readonly Pick<ContactTokenState, 'hash' | 'expiresAtMs'>[]) =>
      all.map(({ hash, expiresAtMs }) => [Buffer.from(hash).toString('hex'), expiresAtMs]);
    const { tokens: listed } = await store.listContactTokens(botId, id, { nowMs: 0, limit: 100 });
    assert.deepEqual(keysOf(listed), keysOf(inOrder));
  });

  test('the time a token was last seen moves forward only, many at once, and unknown tokens are passed over', async () => {
    const [bot, other] = [await start(), await start()];
    const { store, botId } = bot;
    const { id } = await bot.create();
    const [first, second] = [sampleToken(), sampleToken({ createdAtMs: sampleNowMs + 1 })];
    for (const token of [first, second]) await store.createContactToken(botId, id, token, undefined, sampleContext());
    const lastSeen = async () => (await list(store, botId, id)).map(({ lastSeenAtMs }) => lastSeenAtMs);

    await store.noteTokensSeen(
      botId,
      [
        { hash: first.hash, seenAtMs: 2000 },
        { hash: sampleHash(), seenAtMs: 3000 },
      ],
      sampleContext(),
    );
    assert.deepEqual(await lastSeen(), [2000, undefined]);
    await store.noteTokensSeen(
      botId,
      [
        { hash: first.hash, seenAtMs: 1000 },
        { hash: second.hash, seenAtMs: 5000 },
        { hash: second.hash, seenAtMs: 4000 },
      ],
      sampleContext(),
    );
    assert.deepEqual(await lastSeen(), [2000, 5000]);
    await store.noteTokensSeen(other.botId, [{ hash: first.hash, seenAtMs: 9000 }], sampleContext());
    await store.noteTokensSeen(sampleBot('org_none').id, [{ hash: first.hash, seenAtMs: 9000 }], sampleContext());
    await store.noteTokensSeen(botId, [], sampleContext());
    assert.deepEqual(await lastSeen(), [2000, 5000]);
    assert.equal((await store.findVisitor(botId, first.hash))?.expiresAtMs, first.expiresAtMs);
  });

  test('many expired tokens are purged in slices', async () => {
    const { store, botId, create } = await start();
    const contact = await create();
    const tokens = Array.from({ length: 25 }, () => sampleToken({ expiresAtMs: sampleNowMs }));
    await Promise.all(
      tokens.map((token) => store.createContactToken(botId, contact.id, token, undefined, sampleContext())),
    );
    const countLeft = async () => {
      const visitors = await Promise.all(tokens.map(({ hash }) => store.findVisitor(botId, hash)));
      return visitors.filter((visitor) => visitor !== undefined).length;
    };
    await purgeInSlices(store, { rows: 10, total: 25, countLeft });
  });
}
