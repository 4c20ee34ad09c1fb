// How a session begins and ends: set-up, sign-in, one-time links, sign-out, and the change of a password.
import { emailKey, type SetUp } from '@roster/contract';
import type { FoundLink, KnownMember, Member, Person } from '../store/account-store.ts';
import type { AccountDeps, Action } from './account-deps.ts';
import { AccountError, memberExists } from './account-error.ts';
import { addressKey } from './addresses.ts';
import { auditRecord } from './audit.ts';
import { hashCredential } from './credentials.ts';
import { RateLimit, type RateState } from './rate-limit.ts';
import { makeSession, type SignedIn } from './sessions.ts';

/** Wrong passwords, per account and address: enough for who mistypes, and too few for who guesses. */
const wrongPasswordsPerMinute = 10;
/** Per account, from all addresses together: one address alone must not be able to keep its owner out. */
const wrongPasswordsOfAllPerMinute = 100;

/** Who is signed in now, and the session with its token, for the cookie. */
export type Begun = Person & ReturnType<typeof makeSession>;

export function prepareSignIn(deps: AccountDeps) {
  const { store, clock, passwords, nextId } = deps;
  const wrongPasswords = new RateLimit('password', wrongPasswordsPerMinute);
  const wrongPasswordsOfAll = new RateLimit('password', wrongPasswordsOfAllPerMinute);

  /** Its owners see attempts with an email that no member has. It never changes. */
  let firstOrganization: string | undefined;
  const findFirstOrganization = async (): Promise<string | undefined> => {
    firstOrganization ??= (await store.listOrganizations())[0]?.id;
    return firstOrganization;
  };

  const recordFailure = async (action: Action, member: Member | undefined): Promise<void> => {
    // Read in both cases, so that an email without an account takes as long as one with it.
    const first = await findFirstOrganization();
    const organizationId = member?.organizationId ?? first;
    if (organizationId === undefined) return;
    // The email is left out, because members type their password there by mistake.
    const object = member ?? { name: 'unknown email' };
    const audit = auditRecord(deps, { ...action, organizationId, audit: action.refusalAudit }, object);
    if (audit !== undefined) await store.recordAudit(audit);
  };

  /** The member with this email and password. A wrong one is recorded, for `about` if that is known already. */
  const authenticate = async (
    action: Action,
    { email, password, about, refusal }: { email: string; password: string; about?: Member; refusal: AccountError },
  ): Promise<KnownMember> => {
    // PostgreSQL takes no NUL in a text. An email has no control character, so with another one nobody is found either.
    const key = emailKey(email).replaceAll('\0', '\u0001');
    const fromHere = `${addressKey(action.address ?? '')} ${key}`;
    const member = await store.findMemberByEmail(key);
    // An attempt that the first limit refuses is not counted in the second.
    requireWithinLimit(wrongPasswords.take(fromHere, clock()));
    requireWithinLimit(wrongPasswordsOfAll.take(key, clock()));
    let isWrong = false;
    try {
      isWrong = !(await passwords.verify(password, member?.passwordHash));
    } finally {
      // Neither a right one counts, nor one that could not be compared.
      if (!isWrong) {
        wrongPasswords.giveBack(fromHere);
        wrongPasswordsOfAll.giveBack(key);
      }
    }
    if (member !== undefined && !isWrong) return member;
    await recordFailure(action, about ?? member);
    throw refusal;
  };

  /** The entry of what a member does to themselves. */
  const ownRecord = (action: Action, { id, name, organizationId }: Pick<Member, 'id' | 'name' | 'organizationId'>) => {
    const actor = { kind: 'member', id, name } as const;
    return auditRecord(deps, { ...action, organizationId, actor }, actor);
  };

  const findLink = async (token: string): Promise<FoundLink> => {
    const link = await store.findLink(hashCredential(token), clock());
    if (link === undefined) throw noSuchLink();
    return link;
  };

  return {
    findLink,

    async setUp(action: Action, { code, organizationName, name, email, password }: SetUp): Promise<Begun> {
      const refusal = signInFailed(
        'The set-up code is not the one that the last start printed, or the account is set up already.',
      );
      const organizationId = await findFirstOrganization();
      if (organizationId === undefined || (await store.hasOwner())) throw refusal;
      const begun = makeSession(clock());
      const id = nextId('member', begun.session.createdAtMs);
      const owner = {
        id,
        name,
        passwordHash: await passwords.hash(password),
        codeHash: hashCredential(code),
        organizationName,
        email,
        emailKey: emailKey(email),
        session: begun.session,
      };
      const outcome = await store.createFirstOwner(owner, ownRecord(action, { id, name, organizationId }));
      if (outcome.kind === 'missing') throw refusal;
      if (outcome.kind === 'email_taken') throw memberExists();
      return { ...outcome, ...begun };
    },

    async signIn(action: Action, { email, password }: { email: string; password: string }): Promise<Begun> {
      const refusal = signInFailed('The email and the password do not belong together.');
      const member = await authenticate(action, { email, password, refusal });
      const { passwordHash } = member;
      const rehashed = passwords.isOutdated(passwordHash) ? await passwords.hash(password) : undefined;
      const begun = makeSession(clock());
      const { session } = begun;
      // The password may have been changed, or the member removed, while it was compared.
      const proof = { passwordHash, rehashed };
      if (!(await store.createSession(member.id, session, proof, ownRecord(action, member)))) throw refusal;
      const found = await store.findSession(session.hash);
      if (found === undefined) throw refusal;
      return { ...found, ...begun };
    },

    async signOut(action: Action, { hash, member }: SignedIn): Promise<void> {
      await store.endSession(hash, ownRecord(action, member));
    },

    async signOutEverywhere(action: Action, { member }: SignedIn): Promise<void> {
      await store.endSessions(member.id, ownRecord(action, member));
    },

    async changePassword(
      action: Action,
      { member: changing, organization }: SignedIn,
      { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
    ): Promise<Begun> {
      const refusal = signInFailed('The current password is another one.');
      const given = { email: changing.email, password: currentPassword, about: changing, refusal };
      const member = await authenticate(action, given);
      const change = { from: member.passwordHash, to: await passwords.hash(newPassword) };
      const begun = makeSession(clock());
      if (!(await store.changePassword(member.id, change, begun.session, ownRecord(action, changing)))) {
        throw signInFailed('The password was changed by somebody else at this moment.');
      }
      return { member: { ...changing, lastSignInAtMs: begun.session.createdAtMs }, organization, ...begun };
    },

    async acceptInvitation(
      action: Action,
      { token, name, password }: { token: string; name: string; password: string },
    ): Promise<Begun> {
      // Before the hash, which is expensive: without a link no caller can cause one.
      const { organizationId } = await findLink(token);
      const begun = makeSession(clock());
      const id = nextId('member', begun.session.createdAtMs);
      const joining = { id, name, passwordHash: await passwords.hash(password) };
      const audit = ownRecord(action, { id, name, organizationId });
      const outcome = await store.acceptInvitation(hashCredential(token), joining, begun.session, audit);
      if (outcome.kind === 'missing') throw noSuchLink();
      if (outcome.kind === 'email_taken') throw memberExists();
      return { ...outcome, ...begun };
    },

    async resetPassword(action: Action, { token, password }: { token: string; password: string }): Promise<Begun> {
      const { member, organizationId } = await findLink(token);
      if (member === undefined) throw noSuchLink();
      const begun = makeSession(clock());
      const passwordHash = await passwords.hash(password);
      const audit = ownRecord(action, { ...member, organizationId });
      const person = await store.resetPassword(hashCredential(token), passwordHash, begun.session, audit);
      if (person === undefined) throw noSuchLink();
      return { ...person, ...begun };
    },
  };
}

function requireWithinLimit(state: RateState): void {
  if (state.isExceeded) throw new AccountError('rate_limited', 'Too many attempts.', { exceeded: state });
}

function signInFailed(detail: string): AccountError {
  return new AccountError('sign_in_failed', detail);
}

function noSuchLink(): AccountError {
  return new AccountError('not_found', 'This link was used, has expired, or never was one. Ask for another.');
}
