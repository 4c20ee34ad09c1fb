// Describes an audit entry as a predicate of its actor: "Jane Doe" + "revoked the secret “Web shop”". A failed sign-in has none.
import type { AuditAction, AuditEntry } from '@roster/contract';
import { counted, count as countOf } from '../components/moment.tsx';

interface Done {
  count: number;
  /** Members did it to themselves, and not the operator to them. */
  isOwn: boolean;
  task: AuditEntry['task'];
}

/** `name` is the quoted name of the object. */
type Describe = (name: string, done: Done) => string;

const updatedBy = (task: AuditEntry['task']) => counted(task?.updated ?? 0, 'contact');

const actions: Record<AuditAction, Describe> = {
  'organization.rename': (name) => `renamed the organization to ${name}`,
  'organization.update': () => 'changed the settings of the organization',
  'member.setUp': () => 'set up the account',
  'member.signIn': () => 'signed in',
  'member.signInFailed': (name, { count }) => `${counted(count, 'failed sign-in attempt')} for ${name}`,
  'member.signOut': () => 'signed out',
  'member.signOutEverywhere': (name, { isOwn }) => (isOwn ? 'signed out everywhere' : `ended all sessions of ${name}`),
  'member.confirmPassword': () => 'confirmed their password',
  'member.endSession': (name, { isOwn }) => (isOwn ? 'ended one of their sessions' : `ended a session of ${name}`),
  'member.endOtherSessions': () => 'ended their other sessions',
  'member.update': () => 'changed their name or email',
  'member.leave': () => 'left the organization',
  'member.changePassword': () => 'changed their password',
  'member.resetPassword': () => 'set a new password with a link',
  'member.join': () => 'accepted an invitation',
  'member.makeOwner': (name) => `made ${name} an owner`,
  'member.makeMember': (name) => `made ${name} a member`,
  'member.makeViewer': (name) => `made ${name} a viewer`,
  'member.remove': (name) => `removed ${name}`,
  'member.removeWithSecrets': (name) => `removed ${name} and revoked the secrets that they created`,
  'invitation.create': (name) => `invited ${name}`,
  'invitation.revoke': (name) => `revoked the invitation of ${name}`,
  'passwordReset.create': (name) => `created a password reset link for ${name}`,
  'secret.create': (name) => `created the secret ${name}`,
  'secret.rename': (name) => `renamed a secret to ${name}`,
  'secret.revoke': (name) => `revoked the secret ${name}`,
  'bot.create': (name) => `created the bot ${name}`,
  'bot.update': (name) => `changed the bot ${name}`,
  'bot.delete': (name) => `deleted the bot ${name}`,
  'contact.create': (name, { count }) => `created ${counted(count, 'contact')} in ${name}`,
  'contact.update': (name, { count }) => `changed ${counted(count, 'contact')} in ${name}`,
  'contact.delete': (name, { count }) => `deleted ${counted(count, 'contact')} in ${name}`,
  'contact.revokeToken': (name, { count }) => `revoked ${counted(count, 'token')} of contacts in ${name}`,
  'contact.revokeTokens': (name, { count }) => `revoked the tokens of ${counted(count, 'contact')} in ${name}`,
  'contacts.import': (name, { count, task }) =>
    task === null
      ? `imported or changed ${counted(count, 'contact')} in ${name}`
      : `imported ${task.name || 'a file'} into ${name}: ${resultOf(task)}`,
  'contacts.tag': (name, { task }) => `tagged ${updatedBy(task)} in ${name}`,
  'contacts.untag': (name, { task }) => `removed a tag from ${updatedBy(task)} in ${name}`,
  'contacts.setAttribute': (name, { task }) => `set the attribute “${task?.name}” for ${updatedBy(task)} in ${name}`,
  'contacts.clearAttribute': (name, { task }) =>
    `removed the value of “${task?.name}” from ${updatedBy(task)} in ${name}`,
  'contacts.export': (name, { count }) => `exported ${counted(count, 'contact')} from ${name}`,
  'attribute.define': (name) => `defined the attribute ${name}`,
  'attribute.delete': (name) => `deleted the attribute ${name}`,
  'segment.define': (name) => `defined the segment ${name}`,
  'segment.delete': (name) => `deleted the segment ${name}`,
  'tag.rename': (name) => `renamed a tag in ${name}`,
  'tag.delete': (name) => `deleted a tag in ${name}`,
  'webhook.create': (name) => `created a webhook to ${name}`,
  'webhook.update': (name) => `changed a webhook to ${name}`,
  'webhook.delete': (name) => `deleted a webhook to ${name}`,
  'webhook.rotateSecret': (name) => `rotated the secret of a webhook to ${name}`,
  'webhook.replay': (name) => `replayed events to ${name}`,
  'webhook.retry': (name, { count }) => `retried ${counted(count, 'event')} to ${name}`,
  'webhook.skip': (name) => `skipped an event to ${name}`,
  'webhook.disable': (name) => `turned off a webhook to ${name} after failed deliveries`,
};

/** "4,812 created, 120 updated" */
function resultOf({ created, updated }: NonNullable<AuditEntry['task']>): string {
  return `${countOf(created)} created, ${countOf(updated)} updated`;
}

export function describeEntry({ action, actor, object, count, filter, task }: AuditEntry): string {
  const described = actions[action](`“${object.name}”`, { count, isOwn: actor.id === object.id, task });
  return filter === null ? described : `${described}, filtered by ${filter.join(', ')}`;
}

/** What is looked for together. */
export const actionGroups = {
  'Sign-ins and sessions': /^member\.(signIn|signOut|confirm|end)/,
  Members: /^(member\.(?!signIn|signOut|confirm|end)|invitation|passwordReset)/,
  Secrets: /^secret\./,
  Bots: /^bot\./,
  'Imports and bulk actions': /^contacts\.(?!export)|^contact\.delete$/,
  Exports: /^contacts\.export$/,
  'Single contacts and tokens': /^contact\./,
  'Attributes, tags and segments': /^(attribute|tag|segment)\./,
  Webhooks: /^webhook\./,
  Organization: /^organization\./,
};
export type ActionGroup = keyof typeof actionGroups;

export function actionsOf(group: ActionGroup): AuditAction[] {
  return (Object.keys(actions) as AuditAction[]).filter((action) => actionGroups[group].test(action));
}

/** Failed sign-ins from very many addresses name the first of them. The operator has none. */
export function addressOf({ action, address }: AuditEntry): string {
  return address ?? (action === 'member.signInFailed' ? 'Other addresses' : '–');
}

/** An entry of the audit log, or an event, which has no action. */
interface Acted {
  action?: AuditEntry['action'];
  actor: Pick<AuditEntry['actor'], 'kind' | 'name'>;
}

/** Undefined: nobody knows who tried to sign in. */
export function actorOf({ action, actor }: Acted): string | undefined {
  if (action === 'webhook.disable') return 'Roster';
  if (actor.kind === 'nobody') return undefined;
  if (actor.kind === 'operator') return 'The operator';
  return actor.kind === 'secret' ? `The secret “${actor.name}”` : actor.name || 'Somebody';
}
