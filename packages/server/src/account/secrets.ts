// Makes an organization's secrets: the secret itself, which is told once, and what is kept of it.

import type { Secret, SecretState } from '../store/store.ts';
import { hashCredential, makeSecret } from './credentials.ts';

/** Enough to know one among others, and 36 more characters to guess. */
const prefixLength = 8;

export type NewSecret = Pick<SecretState, 'id' | 'organizationId' | 'name' | 'createdAtMs'> &
  Partial<Pick<SecretState, 'createdBy' | 'expiresAtMs'>>;

export function newSecret({ createdBy, expiresAtMs, ...given }: NewSecret): {
  text: string;
  state: SecretState;
  stored: Secret;
} {
  const text = makeSecret();
  const state: SecretState = {
    ...given,
    prefix: text.slice(0, prefixLength),
    createdBy,
    expiresAtMs,
    revokedAtMs: undefined,
    lastUsedAtMs: undefined,
  };
  return { text, state, stored: { ...state, hash: hashCredential(text) } };
}
