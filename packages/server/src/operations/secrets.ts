// The organization's secrets.
import type { AccountDeps } from '../account/account-deps.ts';
import { createSecret, listSecrets, renameSecret, revokeSecret } from '../account/secrets.ts';
import { toSecretAnswer } from '../answers/answers.ts';
import type { AccountHandlers } from '../http/operation-types.ts';
import { accountActionOf, logChange } from './action-of.ts';

export function secretHandlers(deps: AccountDeps) {
  return {
    async listSecrets(call) {
      const secrets = await listSecrets(deps, accountActionOf(call));
      return { body: { data: secrets.toReversed().map(toSecretAnswer) } };
    },

    async createSecret(call) {
      const { text, state } = await createSecret(deps, accountActionOf(call), call.body);
      logChange(deps, call, { secretId: state.id });
      return { body: { data: { ...toSecretAnswer(state), secret: text } } };
    },

    async updateSecret(call) {
      const secret = await renameSecret(deps, accountActionOf(call), call.params.secretId, call.body.name);
      logChange(deps, call);
      return { body: { data: toSecretAnswer(secret) } };
    },

    async revokeSecret(call) {
      if (await revokeSecret(deps, accountActionOf(call), call.params.secretId)) logChange(deps, call);
      return {};
    },
  } satisfies Partial<AccountHandlers>;
}
