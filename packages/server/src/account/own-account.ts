// What members do to themselves once they are signed in: their sessions, which the operator may see and end too, their
// name and email, and leaving.
import { emailKey } from '@roster/contract';
import type { Member, StoredSession } from '../store/account/account-store.ts';
import type { AccountAction, AccountDeps, Action } from './account-deps.ts';
import { AccountError, memberExists, wrongPassword } from './account-error.ts';
import { ownContext, writeContext } from './audit.ts';
import type { Authentication } from './authentication.ts';
import { isLive, makeConfirmation, type SignedIn, sessionIdOf } from './sessions.ts';

export function prepareOwnAccount(deps: AccountDeps, { confirm, findRelated }: Authentication) {
  const { store, clock, passwords } = deps;

  /** With the salt of the new email's other passwords. It takes as long if there are none, so that nobody learns whether there are. */
  const rehash = async (password: string, passwordHash: string, email: string): Promise<string> => {
    const related = await findRelated(email);
    const rehashed = await passwords.hash(password, related);
    return related === undefined ? passwordHash : rehashed;
  };

  const listSessions = async (member: Member): Promise<StoredSession[]> => {
    const nowMs = clock();
    return (await store.listSessions(member.id)).filter((session) => isLive(session, nowMs));
  };

  return {
    listSessions,

    async endSession(action: AccountAction, member: Member, sessionId: string): Promise<void> {
      const session = (await listSessions(member)).find(({ hash }) => sessionIdOf(hash) === sessionId);
      if (session === undefined) {
        throw new AccountError('not_found', 'There is no session with this id, or it has ended.');
      }
      await store.endSession(session.hash, writeContext(deps, action, member));
    },

    async endOtherSessions(action: Action, { hash, member }: SignedIn): Promise<void> {
      await store.endSessions(member.id, hash, ownContext(deps, action, member));
    },

    async signOut(action: Action, { hash, member }: SignedIn): Promise<void> {
      await store.endSession(hash, ownContext(deps, action, member));
    },

    async endSessions(action: AccountAction, member: Member): Promise<void> {
      await store.endSessions(member.id, undefined, writeContext(deps, action, member));
    },

    /** The session's new token. Undefined: it was replaced a moment ago, by another tab. */
    async confirmPassword(action: Action, signedIn: SignedIn, password: string): Promise<string | undefined> {
      await confirm(action, signedIn, password);
      const { token, confirmed } = makeConfirmation(clock());
      const context = ownContext(deps, action, signedIn.member);
      const { isReplaced } = await store.confirmSession(signedIn.hash, confirmed, context);
      return isReplaced ? token : undefined;
    },

    async update(
      action: Action,
      signedIn: SignedIn,
      { name, email, password }: { name?: string | undefined; email?: string | undefined; password: string },
    ): Promise<Member> {
      const { passwordHash, ...member } = await confirm(action, signedIn, password);
      const changed = { name: name ?? member.name, email: email ?? member.email };
      const isMoving = emailKey(changed.email) !== emailKey(member.email);
      const rehashed = isMoving ? await rehash(password, passwordHash, changed.email) : passwordHash;
      const changes = { ...changed, emailKey: emailKey(changed.email), passwordHash, rehashed };
      const context = ownContext(deps, action, member, changed.name);
      const outcome = await store.updateMember(member.id, changes, context);
      if (outcome.kind === 'email_taken') throw memberExists();
      if (outcome.kind === 'missing') throw wrongPassword();
      return outcome.member;
    },

    async leave(action: Action, { member }: SignedIn): Promise<void> {
      const { organizationId, id } = member;
      const removal = { revokeSecretsAtMs: undefined };
      const outcome = await store.removeMember(organizationId, id, removal, ownContext(deps, action, member));
      if (outcome.kind === 'last_owner') {
        throw new AccountError('last_owner', 'You are the last owner. Make another member an owner first.');
      }
    },
  };
}
