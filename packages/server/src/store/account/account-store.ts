// The part of the storage port that holds members, their sessions, one-time links, and the audit log. The
// promises at the head of store.ts are made here too.
import type { Role } from '@roster/contract';
import type { WriteContext } from '../write-context.ts';
import type { AuditEntry } from './audit-entry.ts';
import type { Backoff, Counted } from './backoff.ts';

export type * from './audit-entry.ts';

export interface AuditPage {
  /** The `next` of another page. */
  before: string | undefined;
  limit: number;
  /** The id of a member or a secret, or a kind of actor. */
  actor?: string | undefined;
  actions?: readonly string[] | undefined;
  fromMs?: number | undefined;
  toMs?: number | undefined;
}

export interface Organization {
  id: string;
  name: string;
  createdAtMs: number;
}

/**
 * How many memberships of one email a sign-in looks at. Owners of other organizations can invite any email, so there may be as many as
 * there are organizations; the work of a sign-in must not grow with them.
 */
export const membershipsMax = 20;

export interface AccountStore {
  // Set-up.

  hasOwner(): Promise<boolean>;
  /** The code replaces any before it. False when an owner exists, of any organization: nothing is stored then. */
  keepSetUpCode(hash: Uint8Array, context: WriteContext): Promise<boolean>;
  /** Whether it is the one that is kept, and can still be used: there is no owner. */
  isSetUpCode(hash: Uint8Array): Promise<boolean>;
  /**
   * Makes the owner of the first organization, gives it its name, and spends the code. `missing` when the code is not
   * the one that is kept. Of any number of callers one wins at most.
   */
  createFirstOwner(first: FirstOwner, context: WriteContext): Promise<JoinOutcome>;

  // Members and their sessions.

  /**
   * The memberships of an email: the one of `organizationId`, or the last `membershipsMax` that somebody signed in to,
   * latest first.
   */
  findMembersByEmail(emailKey: string, organizationId?: string): Promise<KnownMember[]>;
  /** Of one organization, or of all. Ascending by id, which is the order of joining. */
  listMembers(organizationId?: string): Promise<Member[]>;
  /** A member who is no owner any more cannot have invited anybody: those invitations end. */
  changeRole(
    organizationId: string,
    memberId: string,
    change: { role: Role; by?: Authority },
    context: WriteContext,
  ): Promise<MemberOutcome>;
  /**
   * Sessions, links and invitations of the member go too, and with `revokeSecretsAtMs` the secrets that they created are
   * revoked. Of two owners who remove each other at once one stays.
   */
  removeMember(
    organizationId: string,
    memberId: string,
    removal: { revokeSecretsAtMs: number | undefined; by?: Authority },
    context: WriteContext,
  ): Promise<MemberOutcome>;
  /**
   * Begins the session of a member whose password was found to belong to `passwordHash`. False when it is another one
   * by now, or the member is gone. `rehashed` takes its place. Of more than `sessionsMax` sessions the oldest end.
   */
  createSession(
    memberId: string,
    session: NewSession,
    proof: { passwordHash: string; rehashed?: string | undefined; sessionsMax?: number },
    context: WriteContext,
  ): Promise<boolean>;
  /** By its token, or the one before that. Also finds expired ones: judging them is the caller's task. */
  findSession(tokenHash: Uint8Array): Promise<FoundSession | undefined>;
  /** Moves the last-seen time forward, never back. One that has ended stays so. */
  noteSessionSeen(hash: Uint8Array, context: WriteContext): Promise<void>;
  /** Newest first. Expired ones too: judging them is the caller's task. */
  listSessions(memberId: string): Promise<StoredSession[]>;
  /**
   * The member has typed the password in this session. From now on it has this token, unless the one before was replaced a moment
   * ago.
   */
  confirmSession(
    hash: Uint8Array,
    confirmed: ConfirmedSession,
    context: WriteContext,
  ): Promise<{ isReplaced: boolean }>;
  endSession(hash: Uint8Array, context: WriteContext): Promise<void>;
  /** All of the member but the one of `keptHash`. Undefined: all. */
  endSessions(memberId: string, keptHash: Uint8Array | undefined, context: WriteContext): Promise<void>;
  /**
   * Only if the password is still the one of `passwordHash`, which `rehashed` takes the place of. Links to set a new
   * password end with the email that they may have been sent to.
   */
  updateMember(
    memberId: string,
    changes: { name: string; email: string; emailKey: string; passwordHash: string; rehashed?: string },
    context: WriteContext,
  ): Promise<UpdateOutcome>;
  /** All sessions end, and `session` begins. False, and nothing is done, when the password is not `from` any more. */
  changePassword(
    memberId: string,
    change: { from: string; to: string },
    session: NewSession,
    context: WriteContext,
  ): Promise<boolean>;

  // Attempts with a password. Callers pass no more than a few keys at once.

  /**
   * Counts an attempt under each key, or under none when it has to wait for one of them. Of parallel calls, on any number
   * of servers, each sees those that were counted before it.
   */
  reserveAttempt(counts: readonly Counted[], context: WriteContext): Promise<AttemptOutcome>;
  /** Takes attempts back: the time until all of a key are forgiven gets shorter by `byMs`. */
  releaseAttempt(released: readonly { key: string; byMs: number }[], context: WriteContext): Promise<void>;
  /**
   * Removes up to `rows` counts that are forgiven; if there are none, those beyond `keep` that will be forgiven soonest.
   * Returns how many it removed.
   */
  purgeAttempts(keep: number, rows: number, context: WriteContext): Promise<number>;

  // One-time links. An expired one does not exist for any method.

  /**
   * By the authority of `invitedBy`. Replaces an earlier one to the same email. False when the organization has a member
   * with this email.
   */
  createInvitation(
    invitation: Invitation,
    hash: Uint8Array,
    /** How many open ones the organization may have. Undefined: any number. */
    max: number | undefined,
    context: WriteContext,
  ): Promise<boolean | LimitReached | NotAllowed>;
  /** Ascending by id, which is the order of creation. */
  listInvitations(organizationId: string, nowMs: number): Promise<Invitation[]>;
  /** False when there is none. */
  revokeInvitation(organizationId: string, invitationId: string, context: WriteContext): Promise<Invitation | false>;
  /** Replaces an earlier one of the member. False when there is no such member. */
  createPasswordReset(memberId: string, link: NewLink, context: WriteContext): Promise<boolean>;
  findLink(hash: Uint8Array, nowMs: number): Promise<FoundLink | undefined>;
  /** Spends the link: of any number of callers one joins. */
  acceptInvitation(
    hash: Uint8Array,
    joining: Joining,
    session: NewSession,
    context: WriteContext,
  ): Promise<JoinOutcome>;
  /** Spends the link. All sessions of the member end, and `session` begins. False when there is no such link. */
  resetPassword(
    hash: Uint8Array,
    passwordHash: string,
    session: NewSession,
    context: WriteContext,
  ): Promise<Person | false>;

  // The audit log.

  /** For what changes nothing else: a failed sign-in, an export. */
  recordAudit(context: WriteContext): Promise<void>;
  /** Latest first, those behind the position `before`: none that was behind no earlier one. `next` is undefined on the last page. */
  listAudit(organizationId: string, page: AuditPage): Promise<{ entries: AuditEntry[]; next: string | undefined }>;
  /** Removes up to `rows` entries whose id is less than `before`, of all organizations. False when none is left. */
  purgeAudit(before: string, rows: number, context: WriteContext): Promise<boolean>;
}

export interface Member {
  id: string;
  organizationId: string;
  name: string;
  email: string;
  role: Role;
  createdAtMs: number;
  lastSignInAtMs: number | undefined;
}

export interface KnownMember extends Member {
  /** As a PHC string. It goes to passwords.ts and nowhere else. */
  passwordHash: string;
  organizationName: string;
}

/** A member, and what they are a member of. */
export interface Person {
  member: Member;
  organization: Organization;
}

/** What is stored of a token that is handed out: of a session, a one-time link, or a contact. */
export interface NewToken {
  /** SHA-256 of the token, which is never stored. No two calls share one: a retry is known by it. */
  hash: Uint8Array;
  createdAtMs: number;
  expiresAtMs: number;
}

export interface NewSession extends NewToken {
  /** In a few words, for the member; empty when it is not known. */
  browser: string;
  /** The IP address that it began from. */
  address: string | undefined;
}
export type NewLink = NewToken;

export interface StoredSession extends NewSession {
  lastSeenAtMs: number;
}

export interface ConfirmedSession {
  confirmedAtMs: number;
  tokenHash: Uint8Array;
  /** Until then the token before works on. */
  previousUntilMs: number;
}

export interface FoundSession extends Person {
  /** Of the token that it began with. It identifies the session, also after its token was replaced. */
  hash: Uint8Array;
  /** When the token ends, because another one has replaced it. Undefined: it has not been replaced. */
  tokenEndsAtMs: number | undefined;
  createdAtMs: number;
  /** When the member last typed the password in it: at the sign-in, or later. */
  confirmedAtMs: number;
  expiresAtMs: number;
  lastSeenAtMs: number;
}

/** A member to be, with what the invitation does not say. They join when their session begins. */
export interface Joining {
  id: string;
  name: string;
  passwordHash: string;
}

export interface FirstOwner extends Joining {
  codeHash: Uint8Array;
  organizationName: string;
  email: string;
  emailKey: string;
  session: NewSession;
}

export type JoinOutcome = ({ kind: 'joined' } & Person) | { kind: 'missing' } | { kind: 'email_taken' };

/** `done` has the member as they are now, or were before their removal. */
export type MemberOutcome = { kind: 'done'; member: Member } | { kind: 'missing' | 'last_owner' } | NotAllowed;

export type UpdateOutcome = { kind: 'done'; member: Member } | { kind: 'missing' } | { kind: 'email_taken' };

/** `waitMs` is the longest wait, and `backoff` the one that asks for it. */
export type AttemptOutcome = { kind: 'counted' } | { kind: 'throttled'; waitMs: number; backoff: Backoff };

/** There are as many as there may be. */
export type LimitReached = { kind: 'limit_reached' };

/**
 * By whose authority a write is made: that of an owner, or of a secret that is not revoked, which the store checks in its
 * transaction. Undefined: the operator's, or a member's over themselves.
 */
export type Authority = { kind: 'member' | 'secret'; id: string } | undefined;

/** The authority has ended since the request was let in. */
export type NotAllowed = { kind: 'not_allowed' };

export interface Invitation {
  id: string;
  organizationId: string;
  email: string;
  /** `emailKey(email)`, made by the caller. */
  emailKey: string;
  role: Role;
  /** Undefined: the operator. */
  invitedBy: { kind: 'member' | 'secret'; id: string; name: string } | undefined;
  createdAtMs: number;
  expiresAtMs: number;
}

export interface FoundLink {
  kind: 'invitation' | 'passwordReset';
  organizationId: string;
  organizationName: string;
  /** Whose password it is. Undefined: an invitation. */
  member: { id: string; name: string } | undefined;
  /** The email of who is invited, or whose password it is. */
  email: string;
  expiresAtMs: number;
}
