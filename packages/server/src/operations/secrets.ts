// The organization's secrets.
import type { AccountDeps } from '../account/account-deps.ts';
import { createSecret, renameSecret, revokeSecret } from '../account/secrets.ts';
import type { Handlers } from '../http/operation-types.ts';
import { actionOf } from './action-of.ts';
import { toSecretAnswer } from './answers.ts';

export function secretHandlers(deps: AccountDeps) {
  return {
    async listSecrets({ session }) {
      const secrets = await deps.store.listSecrets(session.organization.id);
      return { body: { data: secrets.toReversed().map(toSecretAnswer) } };
    },

    async createSecret(call) {
      const { name, expiresAt } = call.body;
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      const organizationId = call.session.organization.id;
      const { text, state } = await createSecret(deps, actionOf(call), { organizationId, name, expiresAtMs });
      return { body: { data: { ...toSecretAnswer(state), secret: text } } };
    },

    async updateSecret(call) {
      return {
        body: { data: toSecretAnswer(await renameSecret(deps, actionOf(call), call.params.secretId, call.body.name)) },
      };
    },

    async revokeSecret(call) {
      await revokeSecret(deps, actionOf(call), call.params.secretId);
      return {};
    },
  } satisfies Partial<Handlers>;
}
