// How people come in and go out: set-up, sign-in, one-time links, sign-out, and the change of a password.
import { emailKey, type operations } from '@roster/contract';
import { memberActor, nobody } from '../account/audit.ts';
import { hashCredential } from '../account/credentials.ts';
import { csrfTokenOf, makeSession, sessionTtlMs } from '../account/sessions.ts';
import { memberExists, noSuchLink, signInFailed } from '../http/api-error.ts';
import type { Handler } from '../http/operation-types.ts';
import { addressKey, RateLimit } from '../http/rate-limit.ts';
import { sessionCookieOf } from '../http/session-cookie.ts';
import type { KnownMember, Person } from '../store/account-store.ts';
import { type AccountDeps, recordFor } from './account-deps.ts';
import { toMemberAnswer } from './members.ts';
import { toTimestamp } from './timestamps.ts';

type Operations = typeof operations;

/** Passwords that may be wrong, per account and address: enough for who mistypes, and too few for who guesses. */
const wrongPasswordsPerMinute = 10;
/** Per account, from all addresses together: one address alone must not be able to keep its owner out. */
const wrongPasswordsOfAllPerMinute = 100;

interface Tried {
  emailKey: string;
  address: string;
}

export function signInHandlers({ store, clock, publicUrl, passwords, record, nextId }: AccountDeps) {
  const cookie = sessionCookieOf(publicUrl);
  const wrongPasswords = new RateLimit('password', wrongPasswordsPerMinute);
  const wrongPasswordsOfAll = new RateLimit('password', wrongPasswordsOfAllPerMinute);

  /** The first organization's owners see who tried with an email that nobody has. It never changes. */
  let firstOrganization: Promise<string | undefined> | undefined;
  const findFirstOrganization = (): Promise<string | undefined> => {
    firstOrganization ??= store.listOrganizations().then(
      ([first]) => {
        if (first === undefined) firstOrganization = undefined;
        return first?.id;
      },
      (error) => {
        firstOrganization = undefined;
        throw error;
      },
    );
    return firstOrganization;
  };

  const recordFailure = async (member: KnownMember | undefined, address: string): Promise<void> => {
    // Asked in both cases, so that an email without an account takes as long as one with it.
    const first = await findFirstOrganization();
    const organizationId = member?.organizationId ?? first;
    if (organizationId === undefined) return;
    // What was typed as the email is not told: people type their password there.
    const object = member ?? { name: 'unknown email' };
    await record({ organizationId, actor: nobody, action: 'member.signInFailed', object, address });
  };

  /** Compares a password, within the limits of its account. */
  const verify = async (password: string, member: KnownMember | undefined, tried: Tried): Promise<boolean> => {
    const fromHere = `${addressKey(tried.address)} ${tried.emailKey}`;
    wrongPasswords.take(fromHere, clock());
    wrongPasswordsOfAll.take(tried.emailKey, clock());
    let isWrong = false;
    try {
      isWrong = !(await passwords.verify(password, member?.passwordHash));
    } finally {
      // Neither a right one counts, nor one that could not be compared.
      if (!isWrong) {
        wrongPasswords.giveBack(fromHere);
        wrongPasswordsOfAll.giveBack(tried.emailKey);
      }
    }
    return !isWrong;
  };

  const answer = ({ member, organization }: Person, token: string, createdAtMs: number) => ({
    body: {
      data: {
        member: toMemberAnswer(member),
        organization: { id: organization.id, name: organization.name },
        csrfToken: csrfTokenOf(token),
        createdAt: toTimestamp(createdAtMs),
        expiresAt: toTimestamp(createdAtMs + sessionTtlMs),
      },
    },
    headers: { 'Set-Cookie': cookie.begin(token, sessionTtlMs) },
  });

  const recordOwn = ({ member }: Person, action: 'member.setUp' | 'member.join' | 'member.resetPassword', ip: string) =>
    record({ organizationId: member.organizationId, actor: memberActor(member), action, object: member, address: ip });

  const readAccountState: Handler<Operations['readAccountState']> = async () => ({
    body: { data: { isSetUp: await store.hasOwner() } },
  });

  const setUpAccount: Handler<Operations['setUpAccount']> = async ({ body, request }) => {
    const refusal = 'The set-up code is not the one that the last start printed, or the account is set up already.';
    if (await store.hasOwner()) throw signInFailed(refusal);
    const { code, organizationName, name, email, password } = body;
    const { token, session } = makeSession(clock());
    const outcome = await store.createFirstOwner({
      id: nextId('member', session.createdAtMs),
      name,
      passwordHash: await passwords.hash(password),
      codeHash: hashCredential(code),
      organizationName,
      email,
      emailKey: emailKey(email),
      session,
    });
    if (outcome.kind === 'missing') throw signInFailed(refusal);
    if (outcome.kind === 'email_taken') throw memberExists();
    await recordOwn(outcome, 'member.setUp', request.ip);
    return answer(outcome, token, session.createdAtMs);
  };

  const signIn: Handler<Operations['signIn']> = async ({ body: { email, password }, request }) => {
    const key = emailKey(email);
    const member = await store.findMemberByEmail(key);
    const isRight = await verify(password, member, { emailKey: key, address: request.ip });
    if (member === undefined || !isRight) {
      await recordFailure(member, request.ip);
      throw signInFailed();
    }
    const { passwordHash } = member;
    const rehashed = passwords.isOutdated(passwordHash) ? await passwords.hash(password) : undefined;
    const { token, session } = makeSession(clock());
    // The password may have been changed, or the member removed, while it was compared.
    if (!(await store.createSession(member.id, session, { passwordHash, rehashed }))) throw signInFailed();
    const found = await store.findSession(session.hash);
    if (found === undefined) throw signInFailed();
    const { organizationId } = member;
    await record({
      organizationId,
      actor: memberActor(member),
      action: 'member.signIn',
      object: member,
      address: request.ip,
    });
    return answer(found, token, session.createdAtMs);
  };

  const readSession: Handler<Operations['readSession']> = ({ session }) => {
    const { member, organization, csrfToken, createdAtMs, expiresAtMs } = session;
    const { id, name } = organization;
    const times = { createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) };
    return { body: { data: { member: toMemberAnswer(member), organization: { id, name }, csrfToken, ...times } } };
  };

  const signOut: Handler<Operations['signOut']> = async (call) => {
    await store.endSession(call.session.hash);
    await recordFor(record, call)(call.session.member);
    return { headers: { 'Set-Cookie': cookie.end() } };
  };

  const signOutEverywhere: Handler<Operations['signOutEverywhere']> = async (call) => {
    await store.endSessions(call.session.member.id);
    await recordFor(record, call)(call.session.member);
    return { headers: { 'Set-Cookie': cookie.end() } };
  };

  const changePassword: Handler<Operations['changePassword']> = async (call) => {
    const { currentPassword, newPassword } = call.body;
    const key = emailKey(call.session.member.email);
    const member = await store.findMemberByEmail(key);
    const isRight = await verify(currentPassword, member, { emailKey: key, address: call.request.ip });
    if (member === undefined || !isRight) {
      await recordFor(record, call, call.operation.refusalAudit)(call.session.member);
      throw signInFailed('The current password is another one.');
    }
    const change = { from: member.passwordHash, to: await passwords.hash(newPassword) };
    const { token, session } = makeSession(clock());
    if (!(await store.changePassword(member.id, change, session))) {
      throw signInFailed('The password was changed by somebody else at this moment.');
    }
    await recordFor(record, call)(call.session.member);
    const { organization } = call.session;
    const signedIn = { ...call.session.member, lastSignInAtMs: session.createdAtMs };
    return answer({ member: signedIn, organization }, token, session.createdAtMs);
  };

  const readLink: Handler<Operations['readLink']> = async ({ body }) => {
    const { kind, organizationName, email, expiresAtMs } = await findLink(body.token);
    return { body: { data: { kind, organizationName, email, expiresAt: toTimestamp(expiresAtMs) } } };
  };

  const findLink = async (token: string) => {
    const link = await store.findLink(hashCredential(token), clock());
    if (link === undefined) throw noSuchLink();
    return link;
  };

  const acceptInvitation: Handler<Operations['acceptInvitation']> = async ({ body, request }) => {
    // Nobody makes us hash without a link.
    await findLink(body.token);
    const { token, session } = makeSession(clock());
    const passwordHash = await passwords.hash(body.password);
    const joining = { id: nextId('member', session.createdAtMs), name: body.name, passwordHash };
    const outcome = await store.acceptInvitation(hashCredential(body.token), joining, session);
    if (outcome.kind === 'missing') throw noSuchLink();
    if (outcome.kind === 'email_taken') throw memberExists();
    await recordOwn(outcome, 'member.join', request.ip);
    return answer(outcome, token, session.createdAtMs);
  };

  const resetPassword: Handler<Operations['resetPassword']> = async ({ body, request }) => {
    await findLink(body.token);
    const { token, session } = makeSession(clock());
    const passwordHash = await passwords.hash(body.password);
    const person = await store.resetPassword(hashCredential(body.token), passwordHash, session);
    if (person === undefined) throw noSuchLink();
    await recordOwn(person, 'member.resetPassword', request.ip);
    return answer(person, token, session.createdAtMs);
  };

  return {
    readAccountState,
    setUpAccount,
    signIn,
    readSession,
    signOut,
    signOutEverywhere,
    changePassword,
    readLink,
    acceptInvitation,
    resetPassword,
  };
}
