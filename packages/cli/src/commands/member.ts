// Members of organizations: list, invite, help out of a lost password, remove. Roster sends no mail: links are printed,
// once, for the operator to pass on.
import { type OperatorMember, type OperatorSecret, roles } from '@roster/contract';
import { type Command, Option } from 'commander';
import { examples, outputOf } from '../context.ts';
import { usageError } from '../failure.ts';
import type { Operator } from '../operator/operator.ts';
import { withOperator } from '../operator-session.ts';
import { pick } from '../pick.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { findOrg } from './bot.ts';
import { stateOf } from './secret.ts';

type Role = OperatorMember['role'];

export function addMemberCommands(program: Command): void {
  const member = program.command('member').description('members, who sign in to the console');

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
        output.table(
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
    .addOption(
      new Option('--role <role>', 'what they may do: viewers read, members also write, owners manage')
        .choices([...roles])
        .default('member'),
    )
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

  member
    .command('reset-password')
    .description('a one-time link to set a new password by, valid for a day')
    .argument('<member>', 'their id or email')
    .option('--org <organization>', 'of which, if the email is a member of several; its id or name')
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

  member
    .command('remove')
    .description('sign somebody out for good, at once')
    .argument('<member>', 'their id or email')
    .option('--org <organization>', 'of which, if the email is a member of several; its id or name')
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
