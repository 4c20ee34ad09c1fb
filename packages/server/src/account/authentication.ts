// Compares passwords with those of members. Every attempt is counted in the store before the compare, so that parallel
// ones cannot slip through and a refused one costs no hash. sign-in-throttle.ts has the limits.
import { emailKey } from '@roster/contract';
import { addressKey } from '../network/addresses.ts';
import type { KnownMember, Member } from '../store/account/account-store.ts';
import { contextAt } from '../store/write-context.ts';
import type { AccountDeps, Action } from './account-deps.ts';
import { AccountError, wrongPassword } from './account-error.ts';
import { writeContext } from './audit.ts';
import { findDevice } from './known-devices.ts';
import type { SignedIn } from './sessions.ts';
import { type Counts, countsOfDevice, countsOfSession, countsOfStranger, rateStateOf } from './sign-in-throttle.ts';

/** An action of a browser that may have signed in before. */
export interface BrowserAction extends Action {
  deviceCookie: string | undefined;
  userAgent: string | undefined;
}

export interface Attempt {
  email: string;
  password: string;
  /** Left out: every organization of which the email is a member. */
  organizationId?: string | undefined;
  /** Thrown when nothing fits. */
  refusal: AccountError;
}

/** Memberships, and what an attempt at all of them is counted under. */
interface Target {
  members: readonly KnownMember[];
  counts: Counts;
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

  /** Records it in the audit log of each organization whose member may have been meant. */
  const recordFailure = async (action: Action, members: readonly Member[]): Promise<void> => {
    // Read in both cases, so that an email without an account takes as long as one with it.
    const organizationId = await findFirstOrganization();
    if (organizationId === undefined) return;
    // The email is left out, because members type their password there by mistake.
    const unknown = { organizationId, id: undefined, name: 'unknown email' };
    const contexts = (members.length === 0 ? [unknown] : members).map((object) =>
      writeContext(deps, { ...action, organizationId: object.organizationId, audit: action.refusalAudit }, object),
    );
    await Promise.all(contexts.map((context) => context.audit && store.recordAudit(context)));
  };

  const release = async (counts: Counts, isForgiven: boolean): Promise<void> => {
    const released = counts.map(({ key, backoff }, index) => ({
      key,
      byMs: isForgiven && index === 0 ? Number.MAX_SAFE_INTEGER : backoff.forgiveMs,
    }));
    await store.releaseAttempt(released, contextAt(clock()));
  };

  /** Counts an attempt. Undefined: it may be made. */
  const reserve = async ({ counts }: Target): Promise<AccountError | undefined> => {
    const outcome = await store.reserveAttempt(counts, contextAt(clock()));
    if (outcome.kind === 'counted') return undefined;
    const exceeded = rateStateOf(outcome.backoff, outcome.waitMs);
    return new AccountError('rate_limited', 'Too many attempts.', { exceeded });
  };

  /** Those with this password. A target that had too many attempts is left out, unless there is no other. */
  const compare = async (password: string, targets: readonly Target[]): Promise<KnownMember[]> => {
    const open: Target[] = [];
    let throttled: AccountError | undefined;
    for (const target of targets) {
      const refusal = await reserve(target);
      throttled ??= refusal;
      if (refusal === undefined) open.push(target);
    }
    if (throttled !== undefined && open.length === 0) throw throttled;
    const members = open.flatMap((target) => target.members);
    const hashes = members.map(({ passwordHash }) => passwordHash);
    // A flood of strangers can keep all hashing busy, so attempts of known browsers and sessions go first.
    const caller = open.some(({ counts }) => counts.length === 1) ? 'known' : 'stranger';
    const verdicts = await passwords.verifyEach(password, hashes, caller).catch(async (error) => {
      // It could not be compared, so it was no attempt.
      for (const { counts } of open) await release(counts, false);
      throw error;
    });
    const fitting = members.filter((_, index) => verdicts[index]);
    // A password that is right for one membership is still a guess at the others of the same email: an attacker with a
    // membership in an organization of their own could set its password to each guess.
    const isRight = (target: Target) =>
      target.members.length > 0 && target.members.every((each) => fitting.includes(each));
    for (const target of open.filter(isRight)) await release(target.counts, true);
    return fitting;
  };

  return {
    findFirstOrganization,

    /** The hash whose salt all passwords of the email share: that of its oldest membership, if there is one. */
    async findRelated(email: string): Promise<string | undefined> {
      const members = await store.findMembersByEmail(emailKey(email));
      return members.toSorted((one, other) => (one.id < other.id ? -1 : 1))[0]?.passwordHash;
    },

    /** The memberships of this email that have this password. That none has it is recorded. */
    async authenticate(
      action: BrowserAction,
      { email, password, organizationId, refusal }: Attempt,
    ): Promise<[KnownMember, ...KnownMember[]]> {
      // PostgreSQL takes no NUL in a text. An email has no control character, so with another one nobody is found either.
      const key = emailKey(email).replaceAll('\0', '\u0001');
      const members = await store.findMembersByEmail(key, organizationId);
      const devices = members.map(({ id, passwordHash }) =>
        findDevice(action.deviceCookie, { memberId: id, passwordHash }, clock()),
      );
      // A browser is known to a membership and not to an email, of which somebody else may have another membership.
      const known = members.flatMap((member, index) => {
        const device = devices[index];
        return device === undefined ? [] : [{ members: [member], counts: countsOfDevice(device) }];
      });
      const strange = members.filter((_, index) => devices[index] === undefined);
      const counts = countsOfStranger(key, addressKey(action.address ?? ''), organizationId);
      const strangers = strange.length > 0 || known.length === 0 ? [{ members: strange, counts }] : [];
      const [first, ...others] = await compare(password, [...known, ...strangers]);
      if (first !== undefined) return [first, ...others];
      await recordFailure(action, members);
      throw refusal;
    },

    /** The password of who is signed in, asked for again. Attempts of others, at the sign-in, do not count here. */
    async confirm(action: Action, { member, hash }: SignedIn, password: string): Promise<KnownMember> {
      const members = (await store.findMembersByEmail(emailKey(member.email), member.organizationId)).filter(
        ({ id }) => id === member.id,
      );
      const [known] = await compare(password, [{ members, counts: countsOfSession(hash) }]);
      if (known !== undefined) return known;
      await recordFailure(action, [member]);
      throw wrongPassword();
    },
  };
}
