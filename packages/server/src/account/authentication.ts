// Compares passwords with those of members. Every attempt is counted in the store before the compare, so that parallel
// ones cannot slip through and a refused one costs no hash. sign-in-throttle.ts has the limits.
import { emailKey } from '@roster/contract';
import type { KnownMember, Member } from '../store/account-store.ts';
import type { AccountDeps, Action } from './account-deps.ts';
import { AccountError } from './account-error.ts';
import { addressKey } from './addresses.ts';
import { auditRecord } from './audit.ts';
import { findDevice } from './known-devices.ts';
import type { SignedIn } from './sessions.ts';
import { type Counts, countsOfDevice, countsOfSession, countsOfStranger, rateStateOf } from './sign-in-throttle.ts';

/** An action of a browser that may have signed in before. */
export interface BrowserAction extends Action {
  deviceCookie: string | undefined;
}

export type Authentication = ReturnType<typeof prepareAuthentication>;

export function prepareAuthentication(deps: AccountDeps) {
  const { store, clock, passwords } = deps;

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

  const release = async (counts: Counts, isForgiven: boolean): Promise<void> => {
    const released = counts.map(({ key, backoff }, index) => ({
      key,
      byMs: isForgiven && index === 0 ? Number.MAX_SAFE_INTEGER : backoff.forgiveMs,
    }));
    await store.releaseAttempt(released, clock());
  };

  const compare = async (password: string, passwordHash: string | undefined, counts: Counts): Promise<boolean> => {
    const outcome = await store.reserveAttempt(counts, clock());
    if (outcome.kind === 'throttled') {
      const exceeded = rateStateOf(outcome.backoff, outcome.waitMs);
      throw new AccountError('rate_limited', 'Too many attempts.', { exceeded });
    }
    // Strangers may keep as many hashes busy as they like: others go first.
    const caller = counts.length === 1 ? 'known' : 'stranger';
    const isRight = await passwords.verify(password, passwordHash, caller).catch(async (error) => {
      // It could not be compared, so it was no attempt.
      await release(counts, false);
      throw error;
    });
    if (isRight) await release(counts, true);
    return isRight;
  };

  return {
    findFirstOrganization,

    /** The member with this email and password. A wrong one is recorded. */
    async authenticate(
      action: BrowserAction,
      { email, password, refusal }: { email: string; password: string; refusal: AccountError },
    ): Promise<KnownMember> {
      // PostgreSQL takes no NUL in a text. An email has no control character, so with another one nobody is found either.
      const key = emailKey(email).replaceAll('\0', '\u0001');
      const member = await store.findMemberByEmail(key);
      const device = findDevice(action.deviceCookie, { emailKey: key, passwordHash: member?.passwordHash }, clock());
      const counts =
        device === undefined ? countsOfStranger(key, addressKey(action.address ?? '')) : countsOfDevice(device);
      const isRight = await compare(password, member?.passwordHash, counts);
      if (member !== undefined && isRight) return member;
      await recordFailure(action, member);
      throw refusal;
    },

    /** The password of who is signed in, asked for again. Attempts of others, at the sign-in, do not count here. */
    async confirm(
      action: Action,
      { member, hash }: SignedIn,
      { password, refusal }: { password: string; refusal: AccountError },
    ): Promise<KnownMember> {
      const known = await store.findMemberByEmail(emailKey(member.email));
      const isRight = await compare(password, known?.passwordHash, countsOfSession(hash));
      if (known !== undefined && isRight) return known;
      await recordFailure(action, member);
      throw refusal;
    },
  };
}
