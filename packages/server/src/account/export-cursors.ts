// Positions in the exports of members, signed for the session and the time at which the export began: an export that began in time goes
// on by its own positions, and whoever has the session alone begins none. The key is the member's password hash, as for browsers that
// are known (known-devices.ts).
import { createHmac, timingSafeEqual } from 'node:crypto';
import { emailKey, exportPositionPattern, limits } from '@roster/contract';
import type { Store } from '../store/store.ts';
import { hasRecentPassword, type SignedIn } from './sessions.ts';

/** Of a page: `after` without what signs it, and the `next` that is to be signed. */
export interface MembersExport {
  sign(next: string): string;
}

/** The contact behind which a page begins, in the `after` of a request. */
export function contactIn(after: string): string {
  return after.split('.', 1)[0] as string;
}

/** Undefined: it began too long ago, or never, and the password was not typed of late. */
export async function continueExport(
  { store, clock }: { store: Pick<Store, 'findMembersByEmail'>; clock: () => number },
  session: SignedIn,
  botId: string,
  after: string | undefined,
): Promise<MembersExport | undefined> {
  const { id, email, organizationId } = session.member;
  const members = await store.findMembersByEmail(emailKey(email), organizationId);
  const key = members.find((member) => member.id === id)?.passwordHash;
  if (key === undefined) return undefined;
  const signed = (contactId: string, startMs: number): string => {
    const claims = `${contactId}.${startMs.toString(36)}`;
    const proof = createHmac('sha256', key).update(`roster export ${botId} ${claims} `).update(session.hash);
    return `${claims}.${proof.digest('base64url')}`;
  };
  const [, contactId = '', start = ''] = exportPositionPattern.exec(after ?? '') ?? [];
  const startMs = Number.parseInt(start, 36);
  const isOurs = start !== '' && areEqual(after as string, signed(contactId, startMs));
  if (isOurs && clock() < startMs + limits.recentPasswordOfPagesMs) return { sign: (next) => signed(next, startMs) };
  const nowMs = clock();
  return hasRecentPassword(session, nowMs) ? { sign: (next) => signed(next, nowMs) } : undefined;
}

function areEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
