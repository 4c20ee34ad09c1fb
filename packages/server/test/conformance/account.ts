// Conformance: set-up, members, their sessions, and one-time links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '@roster/contract';
import { makeId } from '../../src/contacts/ids.ts';
import { type Member, membershipsMax, type NewSession } from '../../src/store/account/account-store.ts';
import type { Store } from '../../src/store/store.ts';
import {
  keepSecrets,
  sampleContext,
  sampleHash,
  sampleInvitation,
  sampleJoining,
  sampleNowMs,
  sampleOrganization,
  sampleSecret,
  sampleSession,
  withKey,
} from '../sample.ts';
import { type Engine, type OpenedStore, openStore, shareStore } from './engine.ts';

const later = sampleNowMs + 1_000_000;

const inviter = ({ id, name }: Member) => ({ kind: 'member', id, name }) as const;

async function addOrganization(store: Store): Promise<string> {
  const organization = sampleOrganization();
  await store.createOrganization(organization, sampleContext());
  return organization.id;
}

interface Joined {
  member: Member;
  session: NewSession;
  passwordHash: string;
}

/** A member who joins by an invitation of the operator. */
async function addMember(store: Store, organizationId: string, role: Role = 'member'): Promise<Joined> {
  const hash = sampleHash();
  assert.equal(
    await store.createInvitation(sampleInvitation(organizationId, { role }), hash, undefined, sampleContext()),
    true,
  );
  const [joining, session] = [sampleJoining(), sampleSession()];
  const outcome = await store.acceptInvitation(hash, joining, session, sampleContext());
  assert.ok(outcome.kind === 'joined', outcome.kind);
  return { member: outcome.member, session, passwordHash: joining.passwordHash };
}

function sampleFirstOwner(codeHash: Uint8Array, email = `owner${makeId('member', 1)}@example.com`) {
  return {
    ...sampleJoining(),
    ...withKey({ email }),
    codeHash,
    organizationName: 'Example Ltd',
    session: sampleSession(),
  };
}

export function testAccount(engine: Engine): void {
  testSetUp(engine);
  const start = shareStore(engine);
  const open = async () => {
    const { store, reopen } = await start();
    return { store, reopen, organizationId: await addOrganization(store) };
  };
  testSessions(open);
  testRoles(open);
  testInvitations(open);
  testPasswordResets(open);
}

type Open = () => Promise<{ store: Store; reopen: OpenedStore['reopen']; organizationId: string }>;

function testSetUp(engine: Engine): void {
  test('of many callers with the right code one becomes the first owner, signed in, of the first organization', async (t) => {
    const { store } = await openStore(t, engine);
    const organizationId = await addOrganization(store);
    const codeHash = sampleHash();
    assert.equal(await store.hasOwner(), false);
    assert.equal(await store.keepSetUpCode(codeHash, sampleContext()), true);
    const callers = Array.from({ length: 10 }, () => sampleFirstOwner(codeHash));
    const outcomes = await Promise.all(callers.map((first) => store.createFirstOwner(first, sampleContext())));
    const [won, ...others] = outcomes.filter(({ kind }) => kind === 'joined');
    assert.deepEqual(others, []);
    assert.ok(won?.kind === 'joined');
    assert.ok(outcomes.every(({ kind }) => kind === 'joined' || kind === 'missing'));
    const first = callers[outcomes.indexOf(won)] as (typeof callers)[0];
    const { id, name, email } = first;
    const times = { createdAtMs: sampleNowMs, lastSignInAtMs: sampleNowMs };
    assert.deepEqual(won.member, { id, organizationId, name, email, role: 'owner', ...times });
    assert.deepEqual([won.organization.id, won.organization.name], [organizationId, 'Example Ltd']);
    assert.equal((await store.findOrganization(organizationId))?.name, 'Example Ltd');
    assert.deepEqual((await store.findSession(first.session.hash))?.member, won.member);
    assert.deepEqual(await store.listMembers(), [won.member]);
    assert.equal(await store.hasOwner(), true);
    assert.equal(await store.keepSetUpCode(sampleHash(), sampleContext()), false);
    assert.equal((await store.createFirstOwner(sampleFirstOwner(codeHash), sampleContext())).kind, 'missing');
  });

  test('only the newest set-up code works, and a wrong one changes nothing', async (t) => {
    const { store } = await openStore(t, engine);
    const organizationId = await addOrganization(store);
    const [older, newer] = [sampleHash(), sampleHash()];
    await store.keepSetUpCode(older, sampleContext());
    await store.keepSetUpCode(newer, sampleContext({ nowMs: sampleNowMs + 1 }));
    while (await store.purge(100, 0, sampleContext({ nowMs: sampleNowMs + 400 * 86_400_000 })));
    const before = await store.findOrganization(organizationId);
    assert.equal((await store.createFirstOwner(sampleFirstOwner(older), sampleContext())).kind, 'missing');
    assert.equal((await store.createFirstOwner(sampleFirstOwner(sampleHash()), sampleContext())).kind, 'missing');
    assert.deepEqual(await store.findOrganization(organizationId), before);
    assert.deepEqual(await store.listMembers(), []);
    assert.equal((await store.createFirstOwner(sampleFirstOwner(newer), sampleContext())).kind, 'joined');
  });

  test('an email that a member has cannot set up the account, and the code is not spent by it', async (t) => {
    const { store } = await openStore(t, engine);
    const organizationId = await addOrganization(store);
    const { member } = await addMember(store, organizationId);
    const codeHash = sampleHash();
    assert.equal(await store.keepSetUpCode(codeHash, sampleContext()), true, 'a member is no owner');
    const taken = sampleFirstOwner(codeHash, member.email.toUpperCase());
    assert.equal((await store.createFirstOwner(taken, sampleContext())).kind, 'email_taken');
    assert.equal((await store.createFirstOwner(sampleFirstOwner(codeHash), sampleContext())).kind, 'joined');
  });

  test('an email that is a member of another organization can set up the account', async (t) => {
    const { store } = await openStore(t, engine);
    const [, second = ''] = [await addOrganization(store), await addOrganization(store)].sort();
    const { member } = await addMember(store, second);
    const codeHash = sampleHash();
    await store.keepSetUpCode(codeHash, sampleContext());
    assert.equal(
      (await store.createFirstOwner(sampleFirstOwner(codeHash, member.email), sampleContext())).kind,
      'joined',
    );
  });

  test('an organization that does not exist gets no owner', async (t) => {
    const { store } = await openStore(t, engine);
    const codeHash = sampleHash();
    await store.keepSetUpCode(codeHash, sampleContext());
    assert.equal((await store.createFirstOwner(sampleFirstOwner(codeHash), sampleContext())).kind, 'missing');
  });
}

function testSessions(open: Open): void {
  test('members, sessions, links and the log survive a reopening', async () => {
    const { store, organizationId, reopen } = await open();
    const { member, session } = await addMember(store, organizationId, 'owner');
    const again = await reopen();
    assert.deepEqual((await again.findSession(session.hash))?.member, member);
  });

  test('a session is found with its member and organization until it is ended, and by no other hash', async () => {
    const { store, organizationId } = await open();
    const { member, passwordHash } = await addMember(store, organizationId);
    const session = sampleSession({ createdAtMs: sampleNowMs + 7 });
    assert.equal(await store.createSession(member.id, session, { passwordHash }, sampleContext()), true);
    const signedIn = { ...member, lastSignInAtMs: sampleNowMs + 7 };
    const { hash, ...found } = (await store.findSession(session.hash)) ?? {};
    assert.deepEqual(Buffer.from(hash ?? []), Buffer.from(session.hash));
    assert.deepEqual(found, {
      tokenEndsAtMs: undefined,
      createdAtMs: session.createdAtMs,
      confirmedAtMs: session.createdAtMs,
      expiresAtMs: session.expiresAtMs,
      lastSeenAtMs: session.createdAtMs,
      member: signedIn,
      organization: await store.findOrganization(organizationId),
    });
    assert.equal(await store.findSession(sampleHash()), undefined);
    await store.endSession(session.hash, sampleContext());
    assert.equal(await store.findSession(session.hash), undefined);
    await store.endSession(session.hash, sampleContext());
  });

  test('a password that was changed meanwhile begins no session', async () => {
    const { store, organizationId } = await open();
    const { member } = await addMember(store, organizationId);
    const session = sampleSession();
    assert.equal(await store.createSession(member.id, session, { passwordHash: 'another' }, sampleContext()), false);
    assert.equal(
      await store.createSession(makeId('member', 1), session, { passwordHash: 'another' }, sampleContext()),
      false,
    );
    assert.equal(await store.findSession(session.hash), undefined);
  });

  test('a hash that is made anew at the sign-in takes the place of the old one', async () => {
    const { store, organizationId } = await open();
    const { member, passwordHash } = await addMember(store, organizationId);
    const { emailKey } = withKey(member);
    assert.equal(
      await store.createSession(member.id, sampleSession(), { passwordHash, rehashed: 'costlier' }, sampleContext()),
      true,
    );
    assert.equal((await store.findMembersByEmail(emailKey))[0]?.passwordHash, 'costlier');
    assert.equal(await store.createSession(member.id, sampleSession(), { passwordHash }, sampleContext()), false);
  });

  test('the last-seen time of a session moves forward, never back, and raises nothing from the dead', async () => {
    const { store, organizationId } = await open();
    const { session } = await addMember(store, organizationId);
    for (const at of [50, 20, 90])
      await store.noteSessionSeen(session.hash, sampleContext({ nowMs: sampleNowMs + at }));
    assert.equal((await store.findSession(session.hash))?.lastSeenAtMs, sampleNowMs + 90);
    await store.endSession(session.hash, sampleContext());
    await store.noteSessionSeen(session.hash, sampleContext({ nowMs: sampleNowMs + 100 }));
    assert.equal(await store.findSession(session.hash), undefined);
  });

  const confirm = (atMs: number, tokenHash = sampleHash()) => ({
    confirmedAtMs: sampleNowMs + atMs,
    tokenHash,
    previousUntilMs: sampleNowMs + atMs + 10,
  });

  test('a confirmed password gives its session another token, and the one before works on for a moment', async () => {
    const { store, organizationId } = await open();
    const { session, member } = await addMember(store, organizationId);
    const before = await store.findSession(session.hash);
    const first = confirm(5);
    assert.deepEqual(await store.confirmSession(session.hash, first, sampleContext()), { isReplaced: true });
    const confirmed = { ...before, confirmedAtMs: sampleNowMs + 5 };
    assert.deepEqual(await store.findSession(first.tokenHash), confirmed);
    const ending = { ...confirmed, tokenEndsAtMs: first.previousUntilMs };
    assert.deepEqual(await store.findSession(session.hash), ending);
    const second = confirm(15);
    assert.deepEqual(await store.confirmSession(session.hash, second, sampleContext()), { isReplaced: true });
    assert.equal(await store.findSession(session.hash), undefined, 'the first token');
    assert.equal((await store.findSession(first.tokenHash))?.tokenEndsAtMs, second.previousUntilMs);
    assert.equal((await store.listSessions(member.id)).length, 1);
    await store.endSession(session.hash, sampleContext());
    for (const { tokenHash } of [first, second]) assert.equal(await store.findSession(tokenHash), undefined);
    assert.deepEqual(await store.confirmSession(session.hash, confirm(30), sampleContext()), { isReplaced: false });
  });

  test('a token that was replaced a moment ago is not replaced again, and the password is confirmed all the same', async () => {
    const { store, organizationId } = await open();
    const { session } = await addMember(store, organizationId);
    const [first, second] = [confirm(5), confirm(14)];
    await store.confirmSession(session.hash, first, sampleContext());
    assert.deepEqual(await store.confirmSession(session.hash, second, sampleContext()), { isReplaced: false });
    assert.equal(await store.findSession(second.tokenHash), undefined);
    assert.equal((await store.findSession(first.tokenHash))?.confirmedAtMs, second.confirmedAtMs);
  });

  test('the sessions of a member are listed newest first, and all but one can be ended', async () => {
    const { store, organizationId } = await open();
    const { member, session, passwordHash } = await addMember(store, organizationId);
    const other = await addMember(store, organizationId);
    const later = [1, 2].map((ms) =>
      sampleSession({ createdAtMs: sampleNowMs + ms, browser: `Browser ${ms}`, address: ms === 1 ? undefined : '::1' }),
    );
    for (const each of later) await store.createSession(member.id, each, { passwordHash }, sampleContext());
    await store.noteSessionSeen(session.hash, sampleContext({ nowMs: sampleNowMs + 9 }));
    const plain = (sessions: readonly NewSession[]) =>
      sessions.map(({ hash, ...rest }) => ({ hash: Buffer.from(hash).toString('hex'), ...rest }));
    const [older, newer] = later as [NewSession, NewSession];
    assert.deepEqual(plain(await store.listSessions(member.id)), [
      ...plain([newer, older]).map((each) => ({ ...each, lastSeenAtMs: each.createdAtMs })),
      ...plain([session]).map((each) => ({ ...each, lastSeenAtMs: sampleNowMs + 9 })),
    ]);
    await store.endSessions(member.id, older.hash, sampleContext());
    assert.deepEqual(
      plain(await store.listSessions(member.id)).map(({ hash }) => hash),
      plain([older]).map(({ hash }) => hash),
    );
    assert.equal((await store.listSessions(other.member.id)).length, 1);
    assert.deepEqual(await store.listSessions(makeId('member', 1)), []);
  });

  test('a member’s name and email change with the password, to an email that nobody has', async () => {
    const { store, organizationId } = await open();
    const { member, session, passwordHash } = await addMember(store, organizationId);
    const other = await addMember(store, organizationId);
    const changes = withKey({ name: 'New', email: 'New.Name@example.com' });
    const update = (more: object = {}) =>
      store.updateMember(member.id, { ...changes, passwordHash, ...more }, sampleContext());
    assert.deepEqual(await update(withKey({ email: other.member.email.toUpperCase() })), { kind: 'email_taken' });
    assert.deepEqual(await update({ passwordHash: 'another' }), { kind: 'missing' });
    const changed = { ...member, name: 'New', email: 'New.Name@example.com' };
    assert.deepEqual(await update(), { kind: 'done', member: changed });
    const link = { hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: sampleNowMs + 1000 };
    await store.createPasswordReset(member.id, link, sampleContext());
    assert.deepEqual(await update(withKey({ email: 'new.name@EXAMPLE.com' })), {
      kind: 'done',
      member: { ...changed, email: 'new.name@EXAMPLE.com' },
    });
    assert.equal((await store.findSession(session.hash))?.member.name, 'New');
    assert.deepEqual(await store.findMembersByEmail(withKey(member).emailKey), []);
    assert.equal((await store.findMembersByEmail('new.name@example.com'))[0]?.id, member.id);
    assert.ok(await store.findLink(link.hash, sampleNowMs), 'it was the same email');
    await update({ ...withKey({ email: 'moved@example.com' }), rehashed: 'rehashed' });
    assert.equal(await store.findLink(link.hash, sampleNowMs), undefined);
    assert.equal((await store.findMembersByEmail('moved@example.com'))[0]?.passwordHash, 'rehashed');
  });

  test('ending all sessions of a member ends those of no other member', async () => {
    const { store, organizationId } = await open();
    const [one, other] = [await addMember(store, organizationId), await addMember(store, organizationId)];
    const second = sampleSession();
    await store.createSession(one.member.id, second, one, sampleContext());
    await store.endSessions(one.member.id, undefined, sampleContext());
    assert.equal(await store.findSession(one.session.hash), undefined);
    assert.equal(await store.findSession(second.hash), undefined);
    assert.ok(await store.findSession(other.session.hash));
  });

  test('a change of the password ends all sessions but the new one, and of two changes at once one is made', async () => {
    const { store, organizationId } = await open();
    const { member, session, passwordHash } = await addMember(store, organizationId);
    const link = { hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: later };
    await store.createPasswordReset(member.id, link, sampleContext());
    const sessions = [sampleSession(), sampleSession()];
    const changes = sessions.map((next, index) =>
      store.changePassword(member.id, { from: passwordHash, to: `new ${index}` }, next, sampleContext()),
    );
    const made = await Promise.all(changes);
    assert.equal(made.filter((isMade) => isMade).length, 1);
    assert.equal(await store.findSession(session.hash), undefined);
    const begun = await Promise.all(sessions.map(async ({ hash }) => (await store.findSession(hash)) !== undefined));
    assert.deepEqual(begun, made);
    assert.equal(
      (await store.findMembersByEmail(withKey(member).emailKey))[0]?.passwordHash,
      `new ${made.indexOf(true)}`,
    );
    assert.equal(await store.findLink(link.hash, sampleNowMs), undefined, 'a link from before is worth nothing');
  });

  test('no session by the old password outlives a change of it, however close they come', async () => {
    const { store, organizationId } = await open();
    for (let round = 0; round < 10; round++) {
      const { member, passwordHash } = await addMember(store, organizationId);
      const sessions = Array.from({ length: 4 }, () => sampleSession());
      const [isChanged] = await Promise.all([
        store.changePassword(member.id, { from: passwordHash, to: 'new' }, sampleSession(), sampleContext()),
        ...sessions.map((session) => store.createSession(member.id, session, { passwordHash }, sampleContext())),
      ]);
      assert.equal(isChanged, true);
      for (const { hash } of sessions) assert.equal(await store.findSession(hash), undefined);
    }
  });

  test('expired sessions and links are purged, and live ones stay', async () => {
    const { store, organizationId } = await open();
    const { member, session, passwordHash } = await addMember(store, organizationId);
    const old = sampleSession({ expiresAtMs: sampleNowMs + 5 });
    await store.createSession(member.id, old, { passwordHash }, sampleContext());
    assert.ok(await store.findSession(old.hash), 'judging it is the caller’s task');
    const [expired, live] = [sampleHash(), sampleHash()];
    await store.createInvitation(
      sampleInvitation(organizationId, { expiresAtMs: sampleNowMs + 5 }),
      expired,
      undefined,
      sampleContext(),
    );
    await store.createInvitation(sampleInvitation(organizationId), live, undefined, sampleContext());
    while (await store.purge(1, 0, sampleContext({ nowMs: sampleNowMs + 5 })));
    assert.equal(await store.findSession(old.hash), undefined);
    assert.equal(await store.findLink(expired, sampleNowMs), undefined);
    assert.ok(await store.findSession(session.hash));
    assert.ok(await store.findLink(live, sampleNowMs));
  });
}

function testRoles(open: Open): void {
  test('members are listed in the order of joining, of one organization or of all', async () => {
    const { store, organizationId } = await open();
    const other = await addOrganization(store);
    const joined = [await addMember(store, organizationId), await addMember(store, organizationId)];
    const elsewhere = await addMember(store, other);
    const ids = (members: Member[]) => members.map(({ id }) => id);
    assert.deepEqual(
      await store.listMembers(organizationId),
      joined.map(({ member }) => member),
    );
    assert.deepEqual(await store.listMembers(other), [elsewhere.member]);
    for (const { member } of [...joined, elsewhere]) assert.ok(ids(await store.listMembers()).includes(member.id));
  });

  test('the last owner can neither be demoted nor removed, and an owner of another organization does not count', async () => {
    const { store, organizationId } = await open();
    await addMember(store, await addOrganization(store), 'owner');
    const owner = await addMember(store, organizationId, 'owner');
    await addMember(store, organizationId, 'member');
    assert.deepEqual(await store.changeRole(organizationId, owner.member.id, { role: 'member' }, sampleContext()), {
      kind: 'last_owner',
    });
    assert.deepEqual(await store.removeMember(organizationId, owner.member.id, keepSecrets, sampleContext()), {
      kind: 'last_owner',
    });
    const unchanged = await store.changeRole(organizationId, owner.member.id, { role: 'owner' }, sampleContext());
    assert.deepEqual(unchanged, { kind: 'done', member: owner.member });
    assert.ok(await store.findSession(owner.session.hash));
  });

  test('of two owners who demote or remove each other at once one stays', async () => {
    const { store } = await open();
    for (let round = 0; round < 8; round++) {
      const organizationId = await addOrganization(store);
      const [one, other] = [
        await addMember(store, organizationId, 'owner'),
        await addMember(store, organizationId, 'owner'),
      ];
      const outcomes = await Promise.all([
        store.changeRole(organizationId, one.member.id, { role: 'member' }, sampleContext()),
        round % 2 === 0
          ? store.removeMember(organizationId, other.member.id, keepSecrets, sampleContext())
          : store.changeRole(organizationId, other.member.id, { role: 'member' }, sampleContext()),
      ]);
      assert.deepEqual(outcomes.map(({ kind }) => kind).sort(), ['done', 'last_owner']);
      const members = await store.listMembers(organizationId);
      assert.equal(members.filter(({ role }) => role === 'owner').length, 1);
    }
  });

  test('nothing is done by the authority of a former owner or a revoked secret, or one of another organization', async () => {
    const { store, organizationId } = await open();
    const [target, demoted, removed] = [
      await addMember(store, organizationId, 'owner'),
      await addMember(store, organizationId, 'owner'),
      await addMember(store, organizationId, 'owner'),
    ];
    const stranger = await addMember(store, await addOrganization(store), 'owner');
    const revoked = { ...sampleSecret(organizationId), id: makeId('secret', 7) };
    assert.equal(await store.createSecret(revoked, undefined, sampleContext()), true);
    const authorities = [
      ...[demoted, removed, stranger].map(({ member: { id } }) => ({ kind: 'member', id }) as const),
      { kind: 'secret', id: revoked.id } as const,
    ];
    const writes = (by: (typeof authorities)[number]) => [
      () => store.changeRole(organizationId, target.member.id, { role: 'viewer', by }, sampleContext()),
      () => store.removeMember(organizationId, target.member.id, { revokeSecretsAtMs: undefined, by }, sampleContext()),
      () =>
        store.createInvitation(
          sampleInvitation(organizationId, { invitedBy: { ...by, name: '' } }),
          sampleHash(),
          undefined,
          sampleContext(),
        ),
      () => {
        const creator = by.kind === 'member' ? { creatorId: by.id } : { parentId: by.id };
        return store.createSecret({ ...sampleSecret(organizationId), ...creator }, undefined, sampleContext());
      },
    ];
    const [byOwner, bySecret] = [authorities[0], authorities[3]].map((by) => writes(by as NonNullable<typeof by>));
    assert.equal(await byOwner?.[2]?.(), true, 'an owner may');
    assert.equal(await bySecret?.[2]?.(), true, 'a secret may');
    await store.changeRole(organizationId, demoted.member.id, { role: 'member' }, sampleContext());
    await store.removeMember(organizationId, removed.member.id, keepSecrets, sampleContext());
    await store.revokeSecret(revoked.id, sampleContext());
    const before = [await store.listMembers(organizationId), await store.listSecrets(organizationId)];
    for (const by of authorities) {
      for (const write of writes(by)) assert.deepEqual(await write(), { kind: 'not_allowed' });
    }
    assert.deepEqual([await store.listMembers(organizationId), await store.listSecrets(organizationId)], before);
    assert.deepEqual(await store.listInvitations(organizationId, sampleNowMs), []);
  });

  test('a member of another organization, or of none, is neither changed nor removed', async () => {
    const { store, organizationId } = await open();
    const other = await addOrganization(store);
    const { member } = await addMember(store, other);
    for (const id of [member.id, makeId('member', 1)]) {
      assert.deepEqual(await store.changeRole(organizationId, id, { role: 'owner' }, sampleContext()), {
        kind: 'missing',
      });
      assert.deepEqual(await store.removeMember(organizationId, id, keepSecrets, sampleContext()), { kind: 'missing' });
    }
    assert.deepEqual(await store.listMembers(other), [member]);
  });

  test('with a member go their sessions, links and invitations, and their email is free again', async () => {
    const { store, organizationId } = await open();
    await addMember(store, organizationId, 'owner');
    const { member, session } = await addMember(store, organizationId, 'owner');
    const reset = { hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: later };
    await store.createPasswordReset(member.id, reset, sampleContext());
    const [made, other] = [sampleHash(), sampleHash()];
    await store.createInvitation(
      sampleInvitation(organizationId, { invitedBy: inviter(member) }),
      made,
      undefined,
      sampleContext(),
    );
    await store.createInvitation(sampleInvitation(organizationId), other, undefined, sampleContext());
    assert.deepEqual(await store.removeMember(organizationId, member.id, keepSecrets, sampleContext()), {
      kind: 'done',
      member,
    });
    assert.deepEqual(await store.removeMember(organizationId, member.id, keepSecrets, sampleContext()), {
      kind: 'missing',
    });
    assert.equal(await store.findSession(session.hash), undefined);
    assert.deepEqual(await store.findMembersByEmail(withKey(member).emailKey), []);
    for (const hash of [reset.hash, made]) assert.equal(await store.findLink(hash, sampleNowMs), undefined);
    assert.ok(await store.findLink(other, sampleNowMs));
    const again = sampleInvitation(organizationId, withKey({ email: member.email }));
    assert.equal(await store.createInvitation(again, sampleHash(), undefined, sampleContext()), true);
  });

  test('the invitations of a former owner do not work', async () => {
    const { store, organizationId } = await open();
    await addMember(store, organizationId, 'owner');
    const { member } = await addMember(store, organizationId, 'owner');
    const hash = sampleHash();
    await store.createInvitation(
      sampleInvitation(organizationId, { invitedBy: inviter(member), role: 'owner' }),
      hash,
      undefined,
      sampleContext(),
    );
    const outcome = await store.changeRole(organizationId, member.id, { role: 'member' }, sampleContext());
    assert.deepEqual(outcome, { kind: 'done', member: { ...member, role: 'member' } });
    assert.equal(await store.findLink(hash, sampleNowMs), undefined);
  });
}

function testInvitations(open: Open): void {
  test('of many callers with one invitation one joins, with what the invitation says', async () => {
    const { store, organizationId } = await open();
    const hash = sampleHash();
    const invitation = sampleInvitation(organizationId, { role: 'owner', email: 'Zoë@Example.com' });
    await store.createInvitation(invitation, hash, undefined, sampleContext());
    const callers = Array.from({ length: 10 }, () => ({ joining: sampleJoining(), session: sampleSession() }));
    const outcomes = await Promise.all(
      callers.map(({ joining, session }) => store.acceptInvitation(hash, joining, session, sampleContext())),
    );
    const won = outcomes.findIndex(({ kind }) => kind === 'joined');
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      callers.map((_, index) => (index === won ? 'joined' : 'missing')),
    );
    const { joining, session } = callers[won] as (typeof callers)[0];
    const found = await store.findSession(session.hash);
    assert.deepEqual(found?.member, {
      id: joining.id,
      organizationId,
      name: joining.name,
      email: 'Zoë@Example.com',
      role: 'owner',
      createdAtMs: sampleNowMs,
      lastSignInAtMs: sampleNowMs,
    });
    assert.deepEqual(await store.listMembers(organizationId), [found?.member]);
    assert.equal(await store.findLink(hash, sampleNowMs), undefined);
  });

  test('an expired link, a link of another kind and an unknown link let no member join', async () => {
    const { store, organizationId } = await open();
    const { member, passwordHash } = await addMember(store, organizationId);
    const hash = sampleHash();
    await store.createInvitation(
      sampleInvitation(organizationId, { expiresAtMs: sampleNowMs }),
      hash,
      undefined,
      sampleContext(),
    );
    const reset = { hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: later };
    await store.createPasswordReset(member.id, reset, sampleContext());
    for (const tried of [hash, reset.hash, sampleHash()]) {
      const outcome = await store.acceptInvitation(tried, sampleJoining(), sampleSession(), sampleContext());
      assert.deepEqual(outcome, { kind: 'missing' });
    }
    assert.equal(await store.findLink(hash, sampleNowMs), undefined);
    assert.ok(await store.findLink(hash, sampleNowMs - 1));
    assert.equal((await store.findMembersByEmail(withKey(member).emailKey))[0]?.passwordHash, passwordHash);
  });

  test('an email is a member’s once in an organization, whatever its case, and in any number of organizations', async () => {
    const { store, organizationId } = await open();
    const other = await addOrganization(store);
    const { email, emailKey } = sampleInvitation(organizationId);
    for (const [at, id] of [organizationId, other].entries()) {
      const [first, second] = [sampleHash(), sampleHash()];
      await store.createInvitation(sampleInvitation(id, { email }), first, undefined, sampleContext());
      const joining = sampleJoining();
      // The second invitation would replace the first, so the member joins between the two calls.
      const joined = await store.acceptInvitation(
        first,
        joining,
        sampleSession({ createdAtMs: sampleNowMs + at }),
        sampleContext(),
      );
      assert.ok(joined.kind === 'joined' && joined.member.id === joining.id);
      assert.equal(
        await store.createInvitation(
          sampleInvitation(id, { email: email.toUpperCase() }),
          second,
          undefined,
          sampleContext(),
        ),
        false,
      );
      const found = await store.findMembersByEmail(emailKey, id);
      assert.deepEqual(found, [
        { ...joined.member, passwordHash: joining.passwordHash, organizationName: joined.organization.name },
      ]);
    }
    const memberships = await store.findMembersByEmail(emailKey);
    assert.deepEqual(
      memberships.map((each) => each.organizationId),
      [other, organizationId],
      'the last sign-in comes first',
    );
    assert.deepEqual(await store.findMembersByEmail(emailKey, await addOrganization(store)), []);
    assert.deepEqual(await store.findMembersByEmail('nobody@example.com'), []);
  });

  test('of those who join several organizations by one email at once, each does', async () => {
    const { store } = await open();
    const { email, emailKey } = sampleInvitation('');
    const hashes = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const hash = sampleHash();
        await store.createInvitation(
          sampleInvitation(await addOrganization(store), { email }),
          hash,
          undefined,
          sampleContext(),
        );
        return hash;
      }),
    );
    const outcomes = await Promise.all(
      hashes.map((hash) => store.acceptInvitation(hash, sampleJoining(), sampleSession(), sampleContext())),
    );
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      hashes.map(() => 'joined'),
    );
    assert.equal((await store.findMembersByEmail(emailKey)).length, 5);
  });

  test('of an email with many memberships those with the last sign-ins are found, and each by its organization', async () => {
    const { store } = await open();
    const { email, emailKey } = sampleInvitation('');
    const joined: Member[] = [];
    for (let at = 0; at < membershipsMax + 2; at++) {
      const hash = sampleHash();
      await store.createInvitation(
        sampleInvitation(await addOrganization(store), { email }),
        hash,
        undefined,
        sampleContext(),
      );
      const outcome = await store.acceptInvitation(
        hash,
        sampleJoining(),
        sampleSession({ createdAtMs: sampleNowMs + at }),
        sampleContext(),
      );
      assert.ok(outcome.kind === 'joined');
      joined.push(outcome.member);
    }
    const ids = (members: Member[]) => members.map(({ id }) => id);
    assert.deepEqual(ids(await store.findMembersByEmail(emailKey)), ids(joined).reverse().slice(0, membershipsMax));
    const [first] = joined as [Member];
    assert.deepEqual(ids(await store.findMembersByEmail(emailKey, first.organizationId)), [first.id]);
  });

  test('nothing that is done to one membership of an email reaches another', async () => {
    const { store, organizationId } = await open();
    const elsewhere = await addOrganization(store);
    const { email, emailKey } = sampleInvitation(organizationId);
    const join = async (id: string) => {
      const [hash, joining, session] = [sampleHash(), sampleJoining(), sampleSession()];
      await store.createInvitation(sampleInvitation(id, { email, role: 'owner' }), hash, undefined, sampleContext());
      const outcome = await store.acceptInvitation(hash, joining, session, sampleContext());
      assert.ok(outcome.kind === 'joined');
      return { ...outcome, joining, session };
    };
    await addMember(store, elsewhere, 'owner');
    const [mine, theirs] = [await join(organizationId), await join(elsewhere)];
    const reset = { hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: later };
    await store.createPasswordReset(mine.member.id, reset, sampleContext());
    const link = { ...reset, hash: sampleHash() };
    await store.createPasswordReset(theirs.member.id, link, sampleContext());
    await store.resetPassword(link.hash, 'reset', sampleSession(), sampleContext());
    await store.changePassword(theirs.member.id, { from: 'reset', to: 'changed' }, sampleSession(), sampleContext());
    await store.changeRole(elsewhere, theirs.member.id, { role: 'member' }, sampleContext());
    await store.endSessions(theirs.member.id, undefined, sampleContext());
    await store.removeMember(elsewhere, theirs.member.id, keepSecrets, sampleContext());
    assert.deepEqual((await store.findSession(mine.session.hash))?.member, mine.member);
    assert.ok(await store.findLink(reset.hash, sampleNowMs));
    const [left, ...others] = await store.findMembersByEmail(emailKey);
    assert.deepEqual([left?.id, left?.passwordHash, others], [mine.member.id, mine.joining.passwordHash, []]);
  });

  test('open invitations are listed in the order of creation, and revoked once, by their own organization', async () => {
    const { store, organizationId } = await open();
    const { member } = await addMember(store, organizationId, 'owner');
    const invitations = [1, 2].map((number) =>
      sampleInvitation(organizationId, {
        id: makeId('invitation', sampleNowMs * 1000 + number),
        invitedBy: number === 1 ? inviter(member) : undefined,
      }),
    );
    const [first, second] = invitations as [(typeof invitations)[0], (typeof invitations)[0]];
    const hash = sampleHash();
    await store.createInvitation(second, hash, undefined, sampleContext());
    await store.createInvitation(first, sampleHash(), undefined, sampleContext());
    await store.createInvitation(
      sampleInvitation(organizationId, { expiresAtMs: sampleNowMs }),
      sampleHash(),
      undefined,
      sampleContext(),
    );
    assert.deepEqual(await store.listInvitations(organizationId, sampleNowMs), [first, second]);
    const other = await addOrganization(store);
    assert.deepEqual(await store.listInvitations(other, sampleNowMs), []);
    assert.equal(await store.revokeInvitation(other, second.id, sampleContext()), false);
    assert.equal(
      await store.revokeInvitation(organizationId, second.id, sampleContext({ nowMs: later })),
      false,
      'it has expired by then',
    );
    const revoked = await Promise.all(
      [1, 2, 3].map(() => store.revokeInvitation(organizationId, second.id, sampleContext())),
    );
    assert.deepEqual(
      revoked.filter((each) => each !== false),
      [second],
    );
    assert.equal(await store.findLink(hash, sampleNowMs), undefined);
    assert.deepEqual(await store.listInvitations(organizationId, sampleNowMs), [first]);
  });

  test('a second invitation to the same email takes the place of the first, in its own organization', async () => {
    const { store, organizationId } = await open();
    const other = await addOrganization(store);
    const { email } = sampleInvitation(organizationId);
    const [first, second, elsewhere] = [sampleHash(), sampleHash(), sampleHash()];
    await store.createInvitation(sampleInvitation(organizationId, { email }), first, undefined, sampleContext());
    await store.createInvitation(sampleInvitation(other, { email }), elsewhere, undefined, sampleContext());
    const last = sampleInvitation(organizationId, { email, role: 'owner' });
    await store.createInvitation(last, second, undefined, sampleContext());
    assert.deepEqual(await store.listInvitations(organizationId, sampleNowMs), [last]);
    assert.equal(await store.findLink(first, sampleNowMs), undefined);
    assert.ok(await store.findLink(second, sampleNowMs));
    assert.ok(await store.findLink(elsewhere, sampleNowMs));
  });

  test('a link shows its purpose', async () => {
    const { store, organizationId } = await open();
    const { name: organizationName } = (await store.findOrganization(organizationId)) as { name: string };
    const { member } = await addMember(store, organizationId, 'owner');
    const [hash, reset] = [sampleHash(), sampleHash()];
    const { email } = sampleInvitation(organizationId);
    await store.createInvitation(
      sampleInvitation(organizationId, { email, invitedBy: inviter(member) }),
      hash,
      undefined,
      sampleContext(),
    );
    await store.createPasswordReset(
      member.id,
      { hash: reset, createdAtMs: sampleNowMs, expiresAtMs: later },
      sampleContext(),
    );
    const expected = { organizationId, organizationName, expiresAtMs: later };
    assert.deepEqual(await store.findLink(hash, sampleNowMs), {
      kind: 'invitation',
      email,
      member: undefined,
      ...expected,
    });
    assert.deepEqual(await store.findLink(reset, sampleNowMs), {
      kind: 'passwordReset',
      email: member.email,
      member: { id: member.id, name: member.name },
      ...expected,
    });
  });
}

function testPasswordResets(open: Open): void {
  test('of many callers with one link one sets the password, and all sessions but the new one end', async () => {
    const { store, organizationId } = await open();
    const { member, session, passwordHash } = await addMember(store, organizationId);
    const link = { hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: later };
    assert.equal(await store.createPasswordReset(member.id, link, sampleContext()), true);
    const sessions = Array.from({ length: 6 }, () => sampleSession({ createdAtMs: sampleNowMs + 9 }));
    const resets = await Promise.all(
      sessions.map((next, index) => store.resetPassword(link.hash, `reset ${index}`, next, sampleContext())),
    );
    const won = resets.findIndex((person) => person !== false);
    const [person, ...others] = resets.filter((each) => each !== false);
    assert.equal(others.length, 0);
    assert.deepEqual(person?.member, { ...member, lastSignInAtMs: sampleNowMs + 9 });
    assert.equal(person?.organization.id, organizationId);
    assert.equal(await store.findSession(session.hash), undefined);
    assert.ok(await store.findSession((sessions[won] as NewSession).hash));
    assert.equal((await store.findMembersByEmail(withKey(member).emailKey))[0]?.passwordHash, `reset ${won}`);
    assert.equal(await store.createSession(member.id, sampleSession(), { passwordHash }, sampleContext()), false);
  });

  test('only the newest link of a member works, and none for a member who does not exist', async () => {
    const { store, organizationId } = await open();
    const { member } = await addMember(store, organizationId);
    const links = [1, 2].map(() => ({ hash: sampleHash(), createdAtMs: sampleNowMs, expiresAtMs: later }));
    for (const link of links) await store.createPasswordReset(member.id, link, sampleContext());
    const [older, newer] = links as [(typeof links)[0], (typeof links)[0]];
    assert.equal(await store.resetPassword(older.hash, 'older', sampleSession(), sampleContext()), false);
    assert.equal(
      await store.resetPassword(newer.hash, 'late', sampleSession({ createdAtMs: later }), sampleContext()),
      false,
    );
    assert.ok(await store.resetPassword(newer.hash, 'newer', sampleSession(), sampleContext()));
    assert.equal(await store.createPasswordReset(makeId('member', 1), older, sampleContext()), false);
    assert.equal(await store.findLink(older.hash, sampleNowMs), undefined);
  });
}
