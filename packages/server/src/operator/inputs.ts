// What each operation takes, checked in full before anything is done: input comes from people, and by the socket.
import { isAbsolute } from 'node:path';
import {
  botChangesSchema,
  botCreateSchema,
  type IdKind,
  invitationCreateSchema,
  isId,
  organizationNameSchema,
  secretNameSchema,
} from '@roster/contract';
import { z } from 'zod';
import { type OperationName, OperatorError } from './operator.ts';

function idOf(kind: IdKind) {
  return z.string({ error: 'is required' }).refine((value) => isId(kind, value), {
    error: `is not the id of ${kind === 'organization' ? 'an' : 'a'} ${kind}`,
  });
}

const organizationId = idOf('organization');
const botId = idOf('bot');
const secretId = idOf('secret');
const memberId = idOf('member');

const inputs = {
  listOrganizations: z.object({}),
  createOrganization: z.object({ name: organizationNameSchema }),
  renameOrganization: z.object({ organizationId, name: organizationNameSchema }),
  listBots: z.object({ organizationId: organizationId.optional() }),
  createBot: z.object({ organizationId, settings: botCreateSchema }),
  updateBot: z.object({ botId, changes: botChangesSchema }),
  deleteBot: z.object({ botId }),
  listSecrets: z.object({ organizationId: organizationId.optional() }),
  createSecret: z.object({
    organizationId,
    name: secretNameSchema,
    expiresAtMs: z.int({ error: 'must be a time in whole milliseconds' }).optional(),
  }),
  renameSecret: z.object({ secretId, name: secretNameSchema }),
  revokeSecret: z.object({ secretId }),
  listMembers: z.object({ organizationId: organizationId.optional() }),
  inviteMember: z.object({ organizationId, ...invitationCreateSchema.shape }),
  resetPassword: z.object({ memberId }),
  removeMember: z.object({ memberId }),
  backup: z.object({
    file: z.string({ error: 'is required' }).refine(isAbsolute, { error: 'must be an absolute path' }),
  }),
} satisfies Record<OperationName, z.ZodType>;

export type Input<Name extends OperationName> = z.output<(typeof inputs)[Name]>;

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(inputs, name);
}

/** Tells all faults at once. */
export function checkInput<Name extends OperationName>(name: Name, input: unknown): Input<Name> {
  const checked = inputs[name].safeParse(input);
  if (checked.success) return checked.data as Input<Name>;
  const faults = checked.error.issues.map(faultOf);
  throw new OperatorError('invalid', `${faults.join('; ')}.`);
}

function faultOf({ path, message, ...issue }: z.core.$ZodIssue): string {
  // Settings that do not exist are named by their own key alone.
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')}: there is no such setting`;
  const [last] = path.slice(-1);
  const what = typeof last === 'number' ? `${String(path.at(-2))} ${last + 1}` : String(last ?? 'the input');
  return `${what} ${message}`;
}
