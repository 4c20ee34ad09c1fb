// The organization's secrets: made here, told once, and revoked at once.
import { isId, type operations, type SecretState as SecretAnswer } from '@roster/contract';
import { newSecret } from '../account/secrets.ts';
import { invalidRequest, noSuch } from '../http/api-error.ts';
import type { Handler } from '../http/operation-types.ts';
import type { SecretState } from '../store/store.ts';
import { type AccountDeps, recordFor } from './account-deps.ts';
import { toTimestamp, toTimestampOrNull } from './timestamps.ts';

type Operations = typeof operations;

export function secretHandlers({ store, clock, tenantCache, record, nextId }: AccountDeps) {
  const findSecret = async (organizationId: string, secretId: string): Promise<SecretState> => {
    const secrets = isId('secret', secretId) ? await store.listSecrets(organizationId) : [];
    const secret = secrets.find(({ id }) => id === secretId);
    if (secret === undefined) throw noSuch('secret');
    return secret;
  };

  const listSecrets: Handler<Operations['listSecrets']> = async ({ session }) => {
    const secrets = await store.listSecrets(session.organization.id);
    return { body: { data: secrets.toReversed().map(toAnswer) } };
  };

  const createSecret: Handler<Operations['createSecret']> = async (call) => {
    const { organization, member } = call.session;
    const { name, expiresAt } = call.body;
    const createdAtMs = clock();
    const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    if (expiresAtMs !== undefined && expiresAtMs <= createdAtMs) {
      throw invalidRequest([{ field: 'expiresAt', message: 'must be in the future' }]);
    }
    const { text, state, stored } = newSecret({
      id: nextId('secret', createdAtMs),
      organizationId: organization.id,
      name,
      createdBy: member.name,
      createdAtMs,
      expiresAtMs,
    });
    await store.createSecret(stored);
    await recordFor(record, call)(state);
    return { body: { data: { ...toAnswer(state), secret: text } } };
  };

  const updateSecret: Handler<Operations['updateSecret']> = async (call) => {
    const secret = await findSecret(call.session.organization.id, call.params.secretId);
    const { name } = call.body;
    await store.renameSecret(secret.id, name);
    await recordFor(record, call)({ id: secret.id, name });
    return { body: { data: toAnswer({ ...secret, name }) } };
  };

  const revokeSecret: Handler<Operations['revokeSecret']> = async (call) => {
    const secret = await findSecret(call.session.organization.id, call.params.secretId);
    if (await tenantCache.revokeSecret(secret.id, clock())) await recordFor(record, call)(secret);
    return {};
  };

  return { listSecrets, createSecret, updateSecret, revokeSecret };
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
