// How a session begins: set-up, sign-in, one-time links, and the change of a password.
import { emailKey, type SetUp } from '@roster/contract';
import type { FoundLink, KnownMember, Person } from '../store/account/account-store.ts';
import type { AccountDeps } from './account-deps.ts';
import { AccountError, memberExists } from './account-error.ts';
import { ownContext } from './audit.ts';
import type { Attempt, Authentication, BrowserAction } from './authentication.ts';
import { hashCredential } from './credentials.ts';
import { addDevice } from './known-devices.ts';
import { faultOfPassword, type PasswordOwner } from './password-strength.ts';
import { makeSession, type SignedIn } from './sessions.ts';

/** Who is signed in now, the session with its token, and the device cookie by which the browser is known from now on. */
export type Begun = Person & ReturnType<typeof makeSession> & { deviceCookie: string };

export function prepareSignIn(
  deps: AccountDeps,
  { authenticate, confirm, findFirstOrganization, findRelated }: Authentication,
) {
  const { store, clock, passwords, nextId, quotas } = deps;

  const begin = (
    { deviceCookie }: BrowserAction,
    { member, organization }: Person,
    begun: ReturnType<typeof makeSession>,
    passwordHash: string,
  ): Begun => {
    const device = addDevice(deviceCookie, { memberId: member.id, passwordHash }, begun.session.createdAtMs);
    return { member, organization, ...begun, deviceCookie: device };
  };

  /** Hashes a new password if it is strong enough. Both are expensive: callers have checked a link or a password before. */
  const hashNew = async (
    field: 'password' | 'newPassword',
    password: string,
    owner: PasswordOwner,
  ): Promise<string> => {
    const message = await faultOfPassword(password, owner);
    if (message !== undefined) {
      throw new AccountError('invalid_request', 'The password is easy to guess.', { faults: [{ field, message }] });
    }
    return passwords.hash(password, await findRelated(owner.email));
  };

  const findLink = async (token: string): Promise<FoundLink> => {
    const link = await store.findLink(hashCredential(token), clock());
    if (link === undefined) throw noSuchLink();
    return link;
  };

  return {
    findLink,

    async setUp(action: BrowserAction, { code, organizationName, name, email, password }: SetUp): Promise<Begun> {
      const refusal = signInFailed(
        'Incorrect set-up code, or the account is already set up. Use the code that the server printed when it last started.',
      );
      const organizationId = await findFirstOrganization();
      const codeHash = hashCredential(code);
      // Before the hash, which is expensive: without the code no caller can cause one.
      if (organizationId === undefined || !(await store.isSetUpCode(codeHash))) throw refusal;
      const passwordHash = await hashNew('password', password, { email, name, organizationName });
      const begun = makeSession(clock(), action);
      const id = nextId('member', begun.session.createdAtMs);
      const owner = {
        id,
        name,
        passwordHash,
        codeHash,
        organizationName,
        email,
        emailKey: emailKey(email),
        session: begun.session,
      };
      const outcome = await store.createFirstOwner(owner, ownContext(deps, action, { id, name, organizationId }));
      if (outcome.kind === 'missing') throw refusal;
      if (outcome.kind === 'email_taken') throw memberExists();
      return begin(action, outcome, begun, passwordHash);
    },

    /** `organization_required` when several organizations fit, and none was named. */
    async signIn(action: BrowserAction, given: Omit<Attempt, 'refusal'>): Promise<Begun> {
      const refusal = signInFailed('Incorrect email or password.');
      const [member, ...others] = await authenticate(action, { ...given, refusal });
      if (others.length > 0) throw organizationRequired([member, ...others]);
      const { passwordHash } = member;
      const related = await findRelated(member.email);
      const isOutdated = passwords.isOutdated(passwordHash, related);
      const rehashed = isOutdated ? await passwords.hash(given.password, related) : undefined;
      const begun = makeSession(clock(), action);
      const { session } = begun;
      // The password may have been changed, or the member removed, while it was compared.
      const proof = { passwordHash, rehashed, sessionsMax: quotas.sessionsPerMember };
      if (!(await store.createSession(member.id, session, proof, ownContext(deps, action, member)))) throw refusal;
      const found = await store.findSession(session.hash);
      if (found === undefined) throw refusal;
      return begin(action, found, begun, rehashed ?? passwordHash);
    },

    async changePassword(
      action: BrowserAction,
      signedIn: SignedIn,
      { currentPassword, newPassword }: { currentPassword: string; newPassword: string },
    ): Promise<Begun> {
      const { member: changing, organization } = signedIn;
      const member = await confirm(action, signedIn, currentPassword);
      const about = { email: changing.email, name: changing.name, organizationName: organization.name };
      const passwordHash = await hashNew('newPassword', newPassword, about);
      const change = { from: member.passwordHash, to: passwordHash };
      const begun = makeSession(clock(), action);
      if (!(await store.changePassword(member.id, change, begun.session, ownContext(deps, action, changing)))) {
        throw signInFailed('The password was just changed elsewhere. Sign in with the new one.');
      }
      const signedInAgain = { ...changing, lastSignInAtMs: begun.session.createdAtMs };
      return begin(action, { member: signedInAgain, organization }, begun, change.to);
    },

    async acceptInvitation(
      action: BrowserAction,
      { token, name, password }: { token: string; name: string; password: string },
    ): Promise<Begun> {
      // Before the hash, which is expensive: without a link no caller can cause one.
      const { email, organizationId, organizationName } = await findLink(token);
      const begun = makeSession(clock(), action);
      const id = nextId('member', begun.session.createdAtMs);
      const passwordHash = await hashNew('password', password, { email, name, organizationName });
      const joining = { id, name, passwordHash };
      const context = ownContext(deps, action, { id, name, organizationId });
      const outcome = await store.acceptInvitation(hashCredential(token), joining, begun.session, context);
      if (outcome.kind === 'missing') throw noSuchLink();
      if (outcome.kind === 'email_taken') throw memberExists();
      return begin(action, outcome, begun, passwordHash);
    },

    async resetPassword(
      action: BrowserAction,
      { token, password }: { token: string; password: string },
    ): Promise<Begun> {
      const { member, email, organizationId, organizationName } = await findLink(token);
      if (member === undefined) throw noSuchLink();
      const begun = makeSession(clock(), action);
      const passwordHash = await hashNew('password', password, { email, name: member.name, organizationName });
      const context = ownContext(deps, action, { ...member, organizationId });
      const person = await store.resetPassword(hashCredential(token), passwordHash, begun.session, context);
      if (person === false) throw noSuchLink();
      return begin(action, person, begun, passwordHash);
    },
  };
}

function organizationRequired(fitting: readonly KnownMember[]): AccountError {
  const detail =
    'This email and password belong to several organizations. Send the id of one of them as organizationId.';
  const organizations = fitting.map((each) => ({ id: each.organizationId, name: each.organizationName }));
  return new AccountError('organization_required', detail, { organizations });
}

function signInFailed(detail: string): AccountError {
  return new AccountError('sign_in_failed', detail);
}

function noSuchLink(): AccountError {
  return new AccountError('not_found', 'This link was already used, has expired, or never existed. Ask for a new one.');
}
