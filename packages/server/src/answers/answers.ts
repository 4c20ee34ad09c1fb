// What is stored, as answers carry it: times in ISO 8601 with milliseconds in UTC, null where we have undefined, and no
// secret, hash or key.
import type {
  AccountBot,
  FeedEvent,
  Invitation as InvitationAnswer,
  Member as MemberAnswer,
  SecretState as SecretAnswer,
  Session as SessionAnswer,
  SessionState,
  WidgetSettings,
} from '@roster/contract';
import { type SignedIn, sessionIdOf } from '../account/sessions.ts';
import type { Invitation, Member, StoredSession } from '../store/account/account-store.ts';
import type { StoredEvent } from '../store/events/event-store.ts';
import type { Bot, SecretState } from '../store/store.ts';

export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

export function toTimestampOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : toTimestamp(ms);
}

export function toEventAnswer({ id, type, atMs, contactId, fields, actor }: StoredEvent): FeedEvent {
  return { id, type, at: toTimestamp(atMs), contactId, ...(fields && { fields }), actor };
}

/** What a page's script tag loads; `&token=` is added for a known visitor. */
function widgetUrlOf(publicUrl: string, botId: string): string {
  return `${publicUrl}/widget.js?bot=${botId}`;
}

/** What any page may read of a bot. */
export function toWidgetSettings(publicUrl: string, bot: Bot): WidgetSettings {
  const { id, name, greeting, color, position, channels, greetings } = bot;
  return { name, greeting, color, position, widgetUrl: widgetUrlOf(publicUrl, id), channels, greetings };
}

export function toBotAnswer(publicUrl: string, bot: Bot, contactCount: number | null): AccountBot {
  const { id, allowedOrigins, tokenMaxSeconds, createdAtMs } = bot;
  const settings = { ...toWidgetSettings(publicUrl, bot), allowedOrigins: [...allowedOrigins], tokenMaxSeconds };
  return { id, ...settings, contactCount, createdAt: toTimestamp(createdAtMs) };
}

export function toMemberAnswer({ id, name, email, role, createdAtMs, lastSignInAtMs }: Member): MemberAnswer {
  const times = { createdAt: toTimestamp(createdAtMs), lastSignInAt: toTimestampOrNull(lastSignInAtMs) };
  return { id, name, email, role, ...times };
}

export function toSessionAnswer(
  session: Omit<SignedIn, 'hash' | 'lastSeenAtMs' | 'confirmedAtMs' | 'tokenEndsAtMs'>,
): SessionAnswer {
  const { member, organization, csrfToken, createdAtMs, expiresAtMs } = session;
  const { id, name } = organization;
  const times = { createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) };
  return { member: toMemberAnswer(member), organization: { id, name }, csrfToken, ...times };
}

/** `current` is the session of the request. The operator has none. */
export function toSessionState(session: StoredSession, current: SignedIn | undefined): SessionState {
  const { hash, browser, address, createdAtMs, lastSeenAtMs, expiresAtMs } = session;
  return {
    id: sessionIdOf(hash),
    browser,
    address: address ?? null,
    createdAt: toTimestamp(createdAtMs),
    lastUsedAt: toTimestamp(lastSeenAtMs),
    expiresAt: toTimestamp(expiresAtMs),
    isCurrent: current !== undefined && Buffer.compare(hash, current.hash) === 0,
  };
}

export function toInvitationAnswer(invitation: Invitation): InvitationAnswer {
  const { id, email, role, invitedBy, createdAtMs, expiresAtMs } = invitation;
  const times = { createdAt: toTimestamp(createdAtMs), expiresAt: toTimestamp(expiresAtMs) };
  return { id, email, role, invitedBy: invitedBy?.name ?? null, ...times };
}

export function toSecretAnswer(state: SecretState): SecretAnswer {
  const { id, name, prefix, permissions, bots, createdBy, creatorId, parentId } = state;
  const { createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = state;
  return {
    id,
    name,
    prefix,
    permissions: [...permissions],
    bots: bots === undefined ? null : [...bots],
    createdBy: createdBy ?? null,
    createdById: creatorId ?? parentId ?? null,
    createdAt: toTimestamp(createdAtMs),
    expiresAt: toTimestampOrNull(expiresAtMs),
    revokedAt: toTimestampOrNull(revokedAtMs),
    lastUsedAt: toTimestampOrNull(lastUsedAtMs),
  };
}
