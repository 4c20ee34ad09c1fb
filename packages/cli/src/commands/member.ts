// Members of organizations: list, invite, change their role, end their sessions, help out of a lost password, remove.
// Roster sends no mail: links are printed, once, for the operator to pass on.
import type { OperatorMember, OperatorSecret, SessionState } from '@roster/contract';
import { type Role, roles } from '@roster/contract/names';
import { type Command, Option } from 'commander';
import { examples, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import { invocationOf } from '../invocation.ts';
import type { Operator } from '../operator/operator.ts';
import { withOperator } from '../operator-session.ts';
import { pick } from '../pick.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { date, time } from '../terminal/locale.ts';
import { findOrg } from './bot.ts';
import { stateOf } from './secret.ts';

const roleDescription = 'viewers can read, members can also write, owners can also manage the organization';

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('manage members, who sign in to the console');
  const ofMember = (name: string, description: string) =>
    member
      .command(name)
      .description(description)
      .argument('<member>', 'id or email of the member')
      .option('--org <organization>', 'organization (id or name), if the email belongs to several');

  member
    .command('list')
    .description('list all members and their roles')
    .option('--org <organization>', 'only members of this organization (id or name)')
    .action(async ({ org }: { org?: string }, command: Command) => {
      const members = await withOperator(command, async (operator) =>
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
              each.lastSignInAt === null ? 'never' : date(each.lastSignInAt),
              each.organizationId,
            ]),
        );
      }
    });

  member
    .command('invite')
    .description('create a one-time link to join the organization, valid for seven days')
    .argument('<email>', 'email of the new member, used to sign in')
    .option('--org <organization>', 'organization (id or name); optional if there is only one')
    .addOption(new Option('--role <role>', roleDescription).choices([...roles]).default('member'))
    .addHelpText(
      'after',
      examples('roster member invite jane@example.com', 'roster member invite joe@example.com --role owner'),
    )
    .action(async (email: string, { org, role }: { org?: string; role: Role }, command: Command) => {
      const invitation = await withOperator(command, async (operator) =>
        operator.inviteMember(await findOrg(operator, org), { email, role }),
      );
      const output = outputOf(command);
      const { link, id, organizationId, createdAt, expiresAt } = invitation;
      if (output.isJson) {
        output.json({ link, id, organizationId, email: invitation.email, role: invitation.role, createdAt, expiresAt });
      } else output.print(link);
      output.note(`Send this link to ${invitation.email}. It works once and expires on ${time(expiresAt)}.`);
    });

  ofMember('set', 'change the role of a member')
    .addOption(new Option('--role <role>', roleDescription).choices([...roles]).makeOptionMandatory())
    .addHelpText('after', examples('roster member set jane@example.com --role viewer'))
    .action(async (given: string, { org, role }: { org?: string; role: Role }, command: Command) => {
      const changed = await withOperator(command, async (operator) =>
        operator.changeRole(await findMember(operator, given, org), role),
      );
      const output = outputOf(command);
      if (output.isJson) output.json(describe(changed));
      else output.print(`Changed the role of ${changed.email} (${changed.name}) to ${changed.role}.`);
    });

  ofMember('sessions', 'list the sessions of a member')
    .addHelpText('after', examples('roster member sessions jane@example.com'))
    .action(async (given: string, { org }: { org?: string }, command: Command) => {
      const sessions = await withOperator(command, async (operator) =>
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
            time(each.createdAt),
            time(each.lastUsedAt),
          ]),
        );
      }
    });

  ofMember('end-sessions', 'sign a member out of all sessions, or of one')
    .option('--session <id>', 'end only this session; to list them, run "roster member sessions"')
    .option('-y, --yes', 'skip the confirmation')
    .addHelpText(
      'after',
      examples(
        'roster member end-sessions jane@example.com',
        'roster member end-sessions jane@example.com --session ses_… --yes',
      ),
    )
    .action(async (given: string, { org, session, yes }: EndSessionsFlags, command: Command) => {
      const { found, ended } = await withOperator(command, async (operator) => {
        const found = await findMember(operator, given, org);
        const sessions = await operator.listSessions(found);
        const ended = session === undefined ? sessions : sessions.filter(({ id }) => id === session);
        if (session !== undefined && ended.length === 0) {
          throw refusal(
            `${found.email} has no session "${session}". To list their sessions, run "roster member sessions ${given}".`,
          );
        }
        await confirmOrStop(
          invocationOf(command),
          `End ${session ?? 'all sessions'} of ${found.email} (${found.name})?`,
          yes,
        );
        await (session === undefined ? operator.endSessions(found) : operator.endSession(found, session));
        return { found, ended };
      });
      const output = outputOf(command);
      if (output.isJson) output.json(ended.map(describeSession));
      else output.print(`Ended ${session ?? 'all sessions'} of ${found.email} (${found.name}).`);
      output.note('They can sign in again with their password. To remove their access, run "roster member remove".');
    });

  ofMember('reset-password', 'create a one-time link to set a new password, valid for one day')
    .addHelpText(
      'after',
      examples(
        'roster member reset-password jane@example.com',
        'roster member reset-password jane@example.com --org Acme',
      ),
    )
    .action(async (given: string, { org }: { org?: string }, command: Command) => {
      const { found, reset } = await withOperator(command, async (operator) => {
        const found = await findMember(operator, given, org);
        return { found, reset: await operator.resetPassword(found) };
      });
      const output = outputOf(command);
      const { link, expiresAt } = reset;
      if (output.isJson) output.json({ link, memberId: found.id, email: found.email, expiresAt });
      else output.print(link);
      output.note(
        `Send this link to ${found.email}. It works once, expires on ${time(expiresAt)}, and ends all their sessions when used.`,
      );
    });

  ofMember('remove', 'remove a member and end their sessions immediately')
    .option('--revoke-secrets', 'also revoke the secrets they created')
    .option('--disable-webhooks', 'also switch off the webhooks that they or these secrets created or last changed')
    .option('-y, --yes', 'skip the confirmation')
    .addHelpText(
      'after',
      examples(
        'roster member remove jane@example.com',
        'roster member remove mem_… --revoke-secrets --disable-webhooks --yes',
      ),
    )
    .action(async (given: string, { org, revokeSecrets, disableWebhooks, yes }: RemoveFlags, command: Command) => {
      const { removed, secrets } = await withOperator(command, async (operator) => {
        const found = await findMember(operator, given, org);
        const all = await operator.listSecrets(found.organizationId);
        const created = all.filter((each) => each.createdById === found.id && stateOf(each) === 'active');
        const fate = fateOf(created, revokeSecrets === true);
        await confirmOrStop(invocationOf(command), `Remove ${found.email} (${found.name})?${fate}`, yes);
        await operator.removeMember(found, { revokeSecrets, disableWebhooks });
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
  disableWebhooks?: boolean;
  yes?: boolean;
}

/** What becomes of the secrets that a member created, as a sentence after another. */
function fateOf(secrets: readonly OperatorSecret[], isRevoked: boolean): string {
  if (secrets.length === 0) return '';
  const names = secrets.map(({ id, name }) => `${name} (${id})`).join(', ');
  return isRevoked
    ? ` This also revokes the secrets they created: ${names}.`
    : ` Secrets they created stay active: ${names}. To revoke them too, pass --revoke-secrets.`;
}

/** By email first: that is what an operator knows of a member. One email may be a member of several organizations. */
async function findMember(operator: Operator, given: string, org: string | undefined): Promise<OperatorMember> {
  const members = await operator.listMembers(org && (await findOrg(operator, org)));
  const lowered = given.toLowerCase();
  const [byEmail, ...others] = members.filter(({ email }) => email.toLowerCase() === lowered);
  if (byEmail === undefined) return pick('member', members, given, 'Pass one of these');
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
