// The organization's secrets.
import type { SecretState as SecretAnswer } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { createSecret, renameSecret, revokeSecret } from '../account/secrets.ts';
import type { Handlers } from '../http/operation-types.ts';
import type { SecretState } from '../store/store.ts';
import { actionOf } from './action-of.ts';
import { toTimestamp, toTimestampOrNull } from './timestamps.ts';

export function secretHandlers(deps: AccountDeps) {
  return {
    async listSecrets({ session }) {
      const secrets = await deps.store.listSecrets(session.organization.id);
      return { body: { data: secrets.toReversed().map(toAnswer) } };
    },

    async createSecret(call) {
      const { name, expiresAt } = call.body;
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const organizationId = call.session.organization.id;
      const { text, state } = await createSecret(deps, actionOf(call), { organizationId, name, expiresAtMs });
      return { body: { data: { ...toAnswer(state), secret: text } } };
    },

    async updateSecret(call) {
      return {
        body: { data: toAnswer(await renameSecret(deps, actionOf(call), call.params.secretId, call.body.name)) },
      };
    },

    async revokeSecret(call) {
      await revokeSecret(deps, actionOf(call), call.params.secretId);
      return {};
    },
  } satisfies Partial<Handlers>;
}

function toAnswer(state: SecretState): SecretAnswer {
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
