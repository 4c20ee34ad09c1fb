// The operations of the operator, over the socket in the data folder. They reach every organization, so they exist on no
// other listener and are not in the OpenAPI document.
import * as z from 'zod';
import {
  accountBotSchema,
  invitationCreateSchema,
  memberSchema,
  organizationChangesSchema,
  roleSchema,
  secretStateSchema,
} from './account.ts';
import { timestampSchema } from './contact.ts';
import { json, many, one } from './envelopes.ts';
import { problemSchema } from './errors.ts';
import { idKinds, secretPattern } from './ids.ts';
import type { Operation } from './operation.ts';
import { operatorAccountOperations } from './operator-account-operations.ts';
import { botCreateSchema, organizationNameSchema } from './tenants.ts';

const operator = '/v1/operator';
const organization = `${operator}/organizations/{organizationId}`;

const organizationId = z.string().regex(idKinds.organization.pattern, { error: 'is not the id of an organization' });
/** Left out: of all organizations. */
const filterSchema = z.object({ organizationId: organizationId.optional() });

const operatorOrganizationSchema = z.strictObject({ id: organizationId, name: z.string(), createdAt: timestampSchema });
const operatorBotSchema = z.strictObject({ ...accountBotSchema.shape, organizationId });
const operatorSecretSchema = z.strictObject({ ...secretStateSchema.shape, organizationId });
const operatorMemberSchema = z.strictObject({ ...memberSchema.shape, organizationId });
export type OperatorBot = z.output<typeof operatorBotSchema>;
export type OperatorSecret = z.output<typeof operatorSecretSchema>;
export type OperatorMember = z.output<typeof operatorMemberSchema>;

/** What `roster setup` and the settings ROSTER_SETUP_… ask for. */
export const provisioningSchema = z.object({
  organization: organizationNameSchema,
  bot: botCreateSchema.shape.name,
  owner: invitationCreateSchema.shape.email.optional(),
  secret: z.string({ error: 'is required' }).regex(secretPattern, { error: 'must be a secret' }),
  isNewSecret: z
    .boolean({ error: 'must be true or false' })
    .meta({ description: 'Whether the secret is dropped if the bot already has one of an earlier setup.' }),
});
export type Provisioning = z.output<typeof provisioningSchema>;

const part = (kind: 'organization' | 'bot' | 'secret') =>
  z.strictObject({ id: z.string().regex(idKinds[kind].pattern), name: z.string(), isNew: z.boolean() });
const provisionedSchema = z.strictObject({
  organization: part('organization'),
  bot: part('bot'),
  secret: part('secret'),
  owner: z
    .strictObject({
      email: z.string(),
      role: roleSchema,
      isNew: z.boolean(),
      link: z.url().nullable().meta({ description: 'The link of a new invitation. It is shown only once.' }),
      expiresAt: timestampSchema.nullable().meta({ description: 'Of the invitation; null for a member.' }),
    })
    .nullable(),
});
export type Provisioned = z.output<typeof provisionedSchema>;

/** A line of the answer to a backup. The last line has the data or the problem. */
export const backupLineSchema = z.union([
  z.strictObject({
    progress: z
      .strictObject({ phase: z.enum(['copying', 'checking']), done: z.int(), total: z.int() })
      .meta({ description: 'In pages of the database. How far the check has come is not known, so both are 0.' }),
  }),
  z.strictObject({ data: z.strictObject({ bytes: z.int() }) }),
  z.strictObject({ problem: problemSchema }),
]);
export type BackupLine = z.output<typeof backupLineSchema>;

export const operatorOperations = {
  ...operatorAccountOperations,
  operatorDescribeServer: {
    id: 'operator.server',
    method: 'GET',
    path: operator,
    credentials: ['operator'],
    summary: 'Get the server’s version',
    answer: { status: 200, description: 'The version.', schema: one(z.strictObject({ version: z.string() })) },
  },
  operatorProvision: {
    id: 'operator.provision',
    method: 'POST',
    path: `${operator}/provision`,
    credentials: ['operator'],
    summary: 'Find or create an organization, a bot, a secret and an owner',
    body: json(provisioningSchema),
    answer: { status: 200, description: 'What there is now, and what is new of it.', schema: one(provisionedSchema) },
  },
  operatorListOrganizations: {
    id: 'operator.organizations.list',
    method: 'GET',
    path: `${operator}/organizations`,
    credentials: ['operator'],
    summary: 'List the organizations',
    answer: { status: 200, description: 'All, oldest first.', schema: many(operatorOrganizationSchema) },
  },
  operatorCreateOrganization: {
    id: 'operator.organizations.create',
    method: 'POST',
    path: `${operator}/organizations`,
    credentials: ['operator'],
    summary: 'Create an organization',
    body: json(organizationChangesSchema),
    answer: { status: 201, description: 'The organization.', schema: one(operatorOrganizationSchema) },
  },
  operatorListBots: {
    id: 'operator.bots.list',
    method: 'GET',
    path: `${operator}/bots`,
    credentials: ['operator'],
    summary: 'List the bots',
    query: filterSchema,
    answer: { status: 200, description: 'Oldest first.', schema: many(operatorBotSchema) },
    errors: ['not_found'],
  },
  operatorListSecrets: {
    id: 'operator.secrets.list',
    method: 'GET',
    path: `${operator}/secrets`,
    credentials: ['operator'],
    summary: 'List the secrets',
    query: filterSchema,
    answer: { status: 200, description: 'Oldest first, revoked ones too.', schema: many(operatorSecretSchema) },
    errors: ['not_found'],
  },
  operatorListMembers: {
    id: 'operator.members.list',
    method: 'GET',
    path: `${operator}/members`,
    credentials: ['operator'],
    summary: 'List the members',
    query: filterSchema,
    answer: { status: 200, description: 'In the order in which they joined.', schema: many(operatorMemberSchema) },
    errors: ['not_found'],
  },
  operatorCreatePasswordReset: {
    id: 'operator.members.resetPassword',
    method: 'POST',
    path: `${organization}/members/{memberId}/password-reset`,
    credentials: ['operator'],
    summary: 'Create a link to set a new password',
    audit: 'passwordReset.create',
    answer: {
      status: 201,
      description: 'The link. It is shown only once.',
      schema: one(z.strictObject({ link: z.url(), expiresAt: timestampSchema })),
    },
  },
  operatorBackUp: {
    id: 'operator.backup',
    method: 'POST',
    path: `${operator}/backups`,
    credentials: ['operator'],
    summary: 'Back up the database into a new file on the server’s machine',
    description: 'Responds with lines of JSON: progress, then the data or a problem.',
    body: json(
      z.object({ file: z.string({ error: 'is required' }).startsWith('/', { error: 'must be an absolute path' }) }),
    ),
    answer: { status: 200, description: 'Lines of JSON.', mediaType: 'application/x-ndjson' },
  },
  operatorPurge: {
    id: 'operator.purge',
    method: 'POST',
    path: `${operator}/purges`,
    credentials: ['operator'],
    summary: 'Trust the clock again after it jumped, so that servers purge',
    answer: {
      status: 200,
      description: 'The pause that has ended.',
      schema: one(
        z.strictObject({ pausedUntil: timestampSchema.nullable().meta({ description: 'Null: there was no pause.' }) }),
      ),
    },
  },
} as const satisfies Record<string, Operation>;
