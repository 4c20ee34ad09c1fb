// The organization's account: its members, their sessions, and what the console shows and changes.
import * as z from 'zod';
import { timestampSchema } from './contact.ts';
import { idKinds } from './ids.ts';
import { limits } from './limits.ts';
import { type Role, roles } from './names.ts';
import { secretScope, secretScopeInput } from './permissions.ts';
import { organizationNameSchema, secretNameSchema, storedBotSettingsSchema } from './tenants.ts';
import { required } from './text.ts';
import { emailRules } from './text-rules.ts';

/** The session's cookie. Its first form is only taken by browsers over TLS, for the whole host and no other. */
export const sessionCookie = { secure: '__Host-roster', plain: 'roster' } as const;

/** The cookie by which a browser is known that has signed in before. It opens nothing: see docs/account.md. */
export const deviceCookie = { secure: '__Host-roster-device', plain: 'roster-device' } as const;

/** Carries the session's `csrfToken` with every operation that is not a GET. */
export const csrfHeader = 'Roster-Csrf';

export const roleSchema = z.enum(roles, { error: `must be one of ${roles.join(', ')}` });

export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(needed);
}

const memberName = required({ description: 'Name of the member.', maxLength: limits.nameLength, example: 'Jane Doe' });
const memberEmail = required({ description: 'The email to sign in with.', ...emailRules });

/** Neither trimmed nor normalised before it is hashed: what was typed is the password. */
const newPassword = z
  .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
  .refine((value) => [...value].length >= limits.passwordLengthMin, {
    error: `must be at least ${limits.passwordLengthMin} characters long`,
  })
  .refine((value) => [...value].length <= limits.passwordLengthMax, {
    error: `must be at most ${limits.passwordLengthMax} characters long`,
  })
  .meta({
    description: 'Must not be easy to guess, or based on the name, the email or the organization.',
    minLength: limits.passwordLengthMin,
    maxLength: limits.passwordLengthMax,
    format: 'password',
  });

/** A password to compare with: one that no account can have is answered like a wrong one. */
const givenPassword = z
  .string({ error: (issue) => (issue.input === undefined ? 'is required' : 'must be a string') })
  .max(4096, { error: 'is too long' })
  .meta({ format: 'password' });

/** Longer than any valid value. */
const givenLength = 512;

const given = z
  .string({ error: 'is required' })
  .trim()
  .refine((value) => value.length <= givenLength, { error: 'is too long' });

const oneTimeToken = given.meta({ description: 'The last part of the one-time link.' });

export const setUpSchema = z.object({
  code: given.meta({ description: 'The set-up code that the server printed when it last started.' }),
  organizationName: organizationNameSchema,
  name: memberName,
  email: memberEmail,
  password: newPassword,
});
export type SetUp = z.output<typeof setUpSchema>;
export const signInSchema = z.object({
  email: given,
  password: givenPassword,
  organizationId: z
    .string({ error: 'must be a string' })
    .regex(idKinds.organization.pattern, { error: 'must be the id of an organization' })
    .optional()
    .meta({ description: 'Sign in to this organization. If left out, all organizations of the email are tried.' }),
});
export const passwordChangeSchema = z.object({ currentPassword: givenPassword, newPassword });
export const passwordConfirmSchema = z.object({ password: givenPassword });
export const ownChangesSchema = z.object({
  name: memberName.optional(),
  email: memberEmail.optional(),
  password: givenPassword.meta({ description: 'The current password.', format: 'password' }),
});
export const linkReadSchema = z.object({ token: oneTimeToken });
export const invitationAcceptSchema = z.object({ token: oneTimeToken, name: memberName, password: newPassword });
export const passwordResetSchema = z.object({ token: oneTimeToken, password: newPassword });
export const invitationCreateSchema = z.object({ email: memberEmail, role: roleSchema });
export const memberChangesSchema = z.object({ role: roleSchema });
export const organizationChangesSchema = z.object({ name: organizationNameSchema });
export const secretCreateSchema = z.object({
  name: secretNameSchema,
  ...secretScopeInput,
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be a date and time with a time zone, like 2027-01-31T00:00:00Z' })
    .meta({ examples: ['2027-01-31T00:00:00Z'] })
    .nullish()
    .transform((value) => value ?? undefined)
    .meta({ description: 'When the secret expires. If left out or null, it never expires.' }),
});
export const secretChangesSchema = z.object({ name: secretNameSchema });

const organizationSettings = {
  membersMayManageWebhooks: z.boolean({ error: 'must be true or false' }).meta({
    description:
      'Whether members can create webhooks, change their address, rotate their secrets and replay events, or only owners.',
  }),
};
export const organizationSettingsSchema = z.strictObject(organizationSettings).meta({ id: 'OrganizationSettings' });
export const organizationSettingsInputSchema = z.strictObject(organizationSettings);
export type OrganizationSettings = z.infer<typeof organizationSettingsSchema>;

const organizationSchema = z
  .strictObject({ id: z.string().regex(idKinds.organization.pattern), name: z.string() })
  .meta({ id: 'Organization' });

export const memberSchema = z
  .strictObject({
    id: z.string().regex(idKinds.member.pattern),
    name: z.string(),
    email: z.string(),
    role: roleSchema,
    createdAt: timestampSchema,
    lastSignInAt: timestampSchema.nullable(),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof memberSchema>;

export const sessionSchema = z
  .strictObject({
    member: memberSchema,
    organization: organizationSchema,
    csrfToken: z.string().meta({ description: `Send it as \`${csrfHeader}\`.` }),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.meta({ description: 'The session ends earlier if it is not used.' }),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof sessionSchema>;

/** A session as its member sees it beside others. */
export const sessionStateSchema = z
  .strictObject({
    id: z
      .string()
      .regex(idKinds.session.pattern)
      .meta({ description: 'Identifies the session. It is not a credential.' }),
    browser: z.string().meta({ description: 'Empty if unknown.', examples: ['Firefox on Windows'] }),
    address: z.string().nullable().meta({ description: 'The IP address it was created from.' }),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.meta({ description: 'Accurate to one minute.' }),
    expiresAt: timestampSchema,
    isCurrent: z.boolean().meta({ description: 'Whether this request uses it.' }),
  })
  .meta({ id: 'SessionState' });
export type SessionState = z.infer<typeof sessionStateSchema>;

export const linkSchema = z
  .strictObject({
    kind: z.enum(['invitation', 'passwordReset']),
    organizationName: z.string(),
    email: z.string(),
    expiresAt: timestampSchema,
  })
  .meta({ id: 'OneTimeLink' });

export const invitationSchema = z
  .strictObject({
    id: z.string().regex(idKinds.invitation.pattern),
    email: z.string(),
    role: roleSchema,
    invitedBy: z.string().nullable().meta({ description: 'Name of the member or secret; null for the operator.' }),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof invitationSchema>;

/** The only answer that holds the link. */
export const newInvitationSchema = z.strictObject({ ...invitationSchema.shape, link: z.url() });

export const secretStateSchema = z
  .strictObject({
    id: z.string().regex(idKinds.secret.pattern),
    name: z.string(),
    prefix: z.string().meta({
      description: 'The start of the secret, to recognize it. Empty for secrets created by older versions.',
      examples: ['rst_Zk0v'],
    }),
    ...secretScope,
    createdBy: z.string().nullable().meta({ description: 'Name of the member or secret; null for the operator.' }),
    createdById: z.string().nullable().meta({
      description: 'Id of the member or secret; null for the operator, and for secrets created by older versions.',
    }),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.nullable(),
    revokedAt: timestampSchema.nullable(),
    lastUsedAt: timestampSchema.nullable().meta({ description: 'Accurate to one minute.' }),
  })
  .meta({ id: 'SecretState' });
export type SecretState = z.infer<typeof secretStateSchema>;

/** The only answer that holds the secret itself. */
export const newSecretSchema = z.strictObject({ ...secretStateSchema.shape, secret: z.string() });

export const accountBotSchema = z
  .strictObject({
    id: z.string().regex(idKinds.bot.pattern),
    ...storedBotSettingsSchema.shape,
    widgetUrl: z
      .url()
      .meta({ description: 'URL for the script tag on your pages; add `&token=` for a known visitor.' }),
    contactCount: z.int().min(0).nullable().meta({
      description: 'Exact. Null if the bot’s shard is unavailable.',
    }),
    createdAt: timestampSchema,
  })
  .meta({ id: 'Bot' });
export type AccountBot = z.infer<typeof accountBotSchema>;

export const contactTokenStateSchema = z
  .strictObject({
    id: z.string().meta({ description: 'Identifies the token. It is not a credential.' }),
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
    lastSeenAt: timestampSchema.nullable(),
  })
  .meta({ id: 'ContactTokenState', description: 'An active contact token, without the token itself.' });
export type ContactTokenState = z.infer<typeof contactTokenStateSchema>;

/** The actions in the audit log. The first part names the kind of object. */
export const auditActions = [
  'organization.rename',
  'organization.update',
  'member.setUp',
  'member.signIn',
  'member.signInFailed',
  'member.signOut',
  'member.signOutEverywhere',
  'member.confirmPassword',
  'member.endSession',
  'member.endOtherSessions',
  'member.update',
  'member.leave',
  'member.changePassword',
  'member.resetPassword',
  'member.join',
  'member.makeOwner',
  'member.makeMember',
  'member.makeViewer',
  'member.remove',
  'member.removeWithSecrets',
  'invitation.create',
  'invitation.revoke',
  'passwordReset.create',
  'secret.create',
  'secret.rename',
  'secret.revoke',
  'bot.create',
  'bot.update',
  'bot.delete',
  'contact.create',
  'contact.update',
  'contact.delete',
  'contact.revokeToken',
  'contact.revokeTokens',
  'contacts.import',
  'contacts.tag',
  'contacts.untag',
  'contacts.setAttribute',
  'contacts.clearAttribute',
  'contacts.export',
  'attribute.define',
  'attribute.delete',
  'tag.rename',
  'tag.delete',
  'segment.define',
  'segment.delete',
  'webhook.create',
  'webhook.update',
  'webhook.delete',
  'webhook.rotateSecret',
  'webhook.replay',
  'webhook.retry',
  'webhook.skip',
  'webhook.disable',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** Of a request of the console: the import or the action on many contacts that it belongs to, as `kind=…&id=…&name=…`. */
export const taskHeader = 'Roster-Task';

/** By the kind of task. All its requests are one entry. */
export const taskActions = {
  import: 'contacts.import',
  tag: 'contacts.tag',
  untag: 'contacts.untag',
  attribute: 'contacts.setAttribute',
  clear: 'contacts.clearAttribute',
  delete: 'contact.delete',
} as const satisfies Record<string, AuditAction>;
export type TaskKind = keyof typeof taskActions;

export const auditEntrySchema = z
  .strictObject({
    id: z.string().regex(idKinds.auditEntry.pattern),
    at: timestampSchema.meta({ description: 'When it happened; the latest time if `count` is more than 1.' }),
    action: z.enum(auditActions),
    actor: z.strictObject({
      kind: z.enum(['member', 'secret', 'operator', 'nobody']),
      id: z.string().nullable(),
      name: z.string().meta({ description: 'At that time.' }),
    }),
    object: z.strictObject({ id: z.string().nullable(), name: z.string().meta({ description: 'At that time.' }) }),
    address: z.string().nullable().meta({
      description:
        'The IP address of the actor. Null for the operator, and when failed sign-ins from many addresses share an entry.',
    }),
    count: z
      .int()
      .min(1)
      .meta({ description: 'How often it happened. Repeated actions on the same bot within minutes share an entry.' }),
    filter: z.array(z.string()).nullable().meta({
      description: 'Of an export: the names of the parameters that narrowed it, without their values. Null otherwise.',
    }),
    task: z
      .strictObject({
        id: z.string(),
        name: z.string().nullable().meta({ description: 'Of the file, or the key of the attribute.' }),
        created: z.int().min(0).meta({ description: 'Contacts that were created.' }),
        updated: z.int().min(0).meta({ description: 'Contacts that were changed.' }),
      })
      .nullable()
      .meta({
        description:
          'The import or the action on many contacts in the console, whose requests share the entry. Null otherwise.',
      }),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;
