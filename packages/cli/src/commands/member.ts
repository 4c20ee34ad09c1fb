// Members of organizations: list, invite, change their role, end their sessions, help out of a lost password, remove.
// Roster sends no mail: links are printed, once, for the operator to pass on.
import { type OperatorMember, type OperatorSecret, type Role, roles, type SessionState } from '@roster/contract';
import { type Command, Option } from 'commander';
import { examples, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import type { Operator } from '../operator/operator.ts';
import { withOperator } from '../operator-session.ts';
import { pick } from '../pick.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { findOrg } from './bot.ts';
import { stateOf } from './secret.ts';

const roleDescription = 'what they may do: viewers read, members also write, owners manage';

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('members, who sign in to the console');
  const ofMember = (name: string, description: string) =>
    member
      .command(name)
      .description(description)
      .argument('<member>', 'their id or email')
      .option('--org <organization>', 'of which, if the email is a member of several; its id or name');

  member
    .command('list')
    .description('all members and their roles')
    .option('--org <organization>', 'only those of this one; its id or name')
    .action(async ({ org }: { org?: string }, command: Command) => {
      const members = await withOperator(async (operator) =>
        operator.listMembers(org && (await findOrg(operator, org))),
      );
      const output = outputOf(command);
      if (output.isJson) output.json(members.map(describe));
      else {
        await output.table(
          ['id', 'email', 'name', 'role', 'last sign-in', 'organization'].map((title) => ({
            title,
            isWhole: title === 'id',
          })),
          members
            .map(describe)
            .map((each) => [
              each.id,
              each.email,
              each.name,
              each.role,
              each.lastSignInAt?.slice(0, 10) ?? 'never',
              each.organizationId,
            ]),
        );
      }
    });

  member
    .command('invite')
    .description('a one-time link by which somebody becomes a member, valid for seven days')
    .argument('<email>', 'to sign in with')
    .option('--org <organization>', 'of which; its id or name; may be left out when there is one')
    .addOption(new Option('--role <role>', roleDescription).choices([...roles]).default('member'))
    .addHelpText(
      'after',
      examples('roster member invite jane@example.com', 'roster member invite joe@example.com --role owner'),
    )
    .action(async (email: string, { org, role }: { org?: string; role: Role }, command: Command) => {
      const invitation = await withOperator(async (operator) =>
        operator.inviteMember(await findOrg(operator, org), { email, role }),
      );
      const output = outputOf(command);
      const { link, id, organizationId, createdAt, expiresAt } = invitation;
      if (output.isJson) {
        output.json({ link, id, organizationId, email: invitation.email, role: invitation.role, createdAt, expiresAt });
      } else output.print(link);
      output.note(`Pass this link on to ${invitation.email}. It works once, until ${expiresAt}.`);
    });

  ofMember('set', 'change the role of a member')
    .addOption(new Option('--role <role>', roleDescription).choices([...roles]).makeOptionMandatory())
    .addHelpText('after', examples('roster member set jane@example.com --role viewer'))
    .action(async (given: string, { org, role }: { org?: string; role: Role }, command: Command) => {
      const changed = await withOperator(async (operator) =>
        operator.changeRole(await findMember(operator, given, org), role),
      );
      const output = outputOf(command);
      if (output.isJson) output.json(describe(changed));
      else output.print(`${changed.email} (${changed.name}) has the role ${changed.role} now.`);
    });

  ofMember('sessions', 'where a member is signed in')
    .addHelpText('after', examples('roster member sessions jane@example.com'))
    .action(async (given: string, { org }: { org?: string }, command: Command) => {
      const sessions = await withOperator(async (operator) =>
        operator.listSessions(await findMember(operator, given, org)),
      );
      const output = outputOf(command);
      if (output.isJson) output.json(sessions.map(describeSession));
      else {
        await output.table(
          ['id', 'browser', 'address', 'created', 'last used'].map((title) => ({ title, isWhole: title === 'id' })),
          sessions.map((each) => [
            each.id,
            each.browser || 'unknown',
            each.address ?? 'unknown',
            minuteOf(each.createdAt),
            minuteOf(each.lastUsedAt),
          ]),
        );
      }
    });

  ofMember('end-sessions', 'sign a member out, everywhere or of one session, at once')
    .option('--session <id>', 'only this one; "roster member sessions" shows them')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      examples(
        'roster member end-sessions jane@example.com',
        'roster member end-sessions jane@example.com --session ses_… --yes',
      ),
    )
    .action(async (given: string, { org, session, yes }: EndSessionsFlags, command: Command) => {
      const { found, ended } = await withOperator(async (operator) => {
        const found = await findMember(operator, given, org);
        const sessions = await operator.listSessions(found);
        const ended = session === undefined ? sessions : sessions.filter(({ id }) => id === session);
        if (session !== undefined && ended.length === 0) {
          throw refusal(`${found.email} has no session "${session}". "roster member sessions ${given}" shows them.`);
        }
        await confirmOrStop(`End ${session ?? 'all sessions'} of ${found.email} (${found.name})?`, yes);
        await (session === undefined ? operator.endSessions(found) : operator.endSession(found, session));
        return { found, ended };
      });
      const output = outputOf(command);
      if (output.isJson) output.json(ended.map(describeSession));
      else output.print(`Ended ${session ?? 'all sessions'} of ${found.email} (${found.name}).`);
      output.note('They can sign in again with their password; "roster member remove" signs somebody out for good.');
    });

  ofMember('reset-password', 'a one-time link to set a new password by, valid for a day')
    .addHelpText(
      'after',
      examples(
        'roster member reset-password jane@example.com',
        'roster member reset-password jane@example.com --org Acme',
      ),
    )
    .action(async (given: string, { org }: { org?: string }, command: Command) => {
      const { found, reset } = await withOperator(async (operator) => {
        const found = await findMember(operator, given, org);
        return { found, reset: await operator.resetPassword(found) };
      });
      const output = outputOf(command);
      const { link, expiresAt } = reset;
      if (output.isJson) output.json({ link, memberId: found.id, email: found.email, expiresAt });
      else output.print(link);
      output.note(
        `Pass this link on to ${found.email}. It works once, until ${expiresAt}, and ends all their sessions.`,
      );
    });

  ofMember('remove', 'sign somebody out for good, at once')
    .option('--revoke-secrets', 'also revoke the secrets that they created')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      examples('roster member remove jane@example.com', 'roster member remove mem_… --revoke-secrets --yes'),
    )
    .action(async (given: string, { org, revokeSecrets = false, yes }: RemoveFlags, command: Command) => {
      const { removed, secrets } = await withOperator(async (operator) => {
        const found = await findMember(operator, given, org);
        const all = await operator.listSecrets(found.organizationId);
        const created = all.filter((each) => each.createdById === found.id && stateOf(each) === 'active');
        const fate = fateOf(created, revokeSecrets);
        await confirmOrStop(`Remove ${found.email} (${found.name})?${fate}`, yes);
        await operator.removeMember(found, { revokeSecrets });
        return { removed: found, secrets: fate };
      });
      const output = outputOf(command);
      if (output.isJson) output.json(describe(removed));
      else output.print(`Removed ${removed.email} (${removed.name}).`);
      if (!revokeSecrets && secrets !== '') output.note(secrets.trim());
    });
}

interface EndSessionsFlags {
  org?: string;
  session?: string;
  yes?: boolean;
}

interface RemoveFlags {
  org?: string;
  revokeSecrets?: boolean;
  yes?: boolean;
}

/** What becomes of the secrets that a member created, as a sentence after another. */
function fateOf(secrets: readonly OperatorSecret[], isRevoked: boolean): string {
  if (secrets.length === 0) return '';
  const names = secrets.map(({ id, name }) => `${name} (${id})`).join(', ');
  return isRevoked
    ? ` These secrets are revoked: ${names}.`
    : ` Secrets that they created stay active: ${names}. --revoke-secrets revokes them.`;
}

/** By email first: that is what an operator knows of a member. One email may be a member of several organizations. */
async function findMember(operator: Operator, given: string, org: string | undefined): Promise<OperatorMember> {
  const members = await operator.listMembers(org && (await findOrg(operator, org)));
  const lowered = given.toLowerCase();
  const [byEmail, ...others] = members.filter(({ email }) => email.toLowerCase() === lowered);
  if (byEmail === undefined) return pick('member', members, given, 'Pass it');
  if (others.length === 0) return byEmail;
  const organizations = await operator.listOrganizations();
  const ids = new Set([byEmail, ...others].map(({ organizationId }) => organizationId));
  const listed = organizations.filter(({ id }) => ids.has(id)).map(({ id, name }) => `${id} (${name})`);
  throw usageError(`${given} is a member of several organizations. Add --org with one of ${listed.join(', ')}.`);
}

function describe({ id, organizationId, name, email, role, createdAt, lastSignInAt }: OperatorMember) {
  return { id, organizationId, name, email, role, createdAt, lastSignInAt };
}

/** None of them is the operator's own. */
function describeSession({ isCurrent: _, ...session }: SessionState) {
  return session;
}

/** UTC, as all times of Roster. */
function minuteOf(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ');
}
