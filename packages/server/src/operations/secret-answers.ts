// Secrets as answers carry them, without the secret itself.
import type { SecretState as SecretAnswer } from '@roster/contract';
import type { SecretState } from '../store/store.ts';
import { toTimestamp, toTimestampOrNull } from './timestamps.ts';

export function toSecretAnswer(state: SecretState): SecretAnswer {
  const { id, name, prefix, createdBy, createdAtMs, expiresAtMs, revokedAtMs, lastUsedAtMs } = state;
  return {
    id,
    name,
    prefix,
    createdBy: createdBy ?? null,
    createdAt: toTimestamp(createdAtMs),
    expiresAt: toTimestampOrNull(expiresAtMs),
    revokedAt: toTimestampOrNull(revokedAtMs),
    lastUsedAt: toTimestampOrNull(lastUsedAtMs),
  };
}
