// Secrets of organizations: list, create, rename, revoke. A secret itself is shown once, when it is created.
import type { OperatorSecret } from '@roster/contract';
import { defaultPermissions, type Permission, permissionNames } from '@roster/contract/names';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import { invocationOf } from '../invocation.ts';
import type { Operator } from '../operator/operator.ts';
import { withOperator } from '../operator-session.ts';
import { pick } from '../pick.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { date, time } from '../terminal/locale.ts';
import { findOrg } from './bot.ts';

const dayMs = 86_400_000;
/** A secret that is forgotten ends by itself. */
const suggestedExpiry = '90d';
const never = 'never';

interface CreateFlags {
  name: string;
  org?: string;
  permissions?: Permission[];
  bots?: string[];
  expires: string;
}

export function addSecretCommands(program: Command): void {
  const secret = program.command('secret').description('manage secrets, which your servers use to call the API');

  secret
    .command('list')
    .description('list all secrets and their status; the secrets themselves are not stored')
    .option('--org <organization>', 'only secrets of this organization (id or name)')
    .action(async ({ org }: { org?: string }, command: Command) => {
      const secrets = await withOperator(command, async (operator) =>
        operator.listSecrets(org && (await findOrg(operator, org))),
      );
      const output = outputOf(command);
      if (output.isJson) output.json(secrets.map(describe));
      else {
        await output.table(
          [
            'id',
            'prefix',
            'name',
            'state',
            'permissions',
            'bots',
            'created',
            'expires',
            'last used',
            'organization',
          ].map((title) => ({ title, isWhole: title === 'id' })),
          secrets
            .map(describe)
            .map((each) => [
              each.id,
              each.prefix,
              each.name,
              each.state,
              each.permissions.join(', '),
              each.bots?.join(', ') ?? 'all',
              date(each.createdAt),
              each.expiresAt === null ? 'never' : time(each.expiresAt),
              each.lastUsedAt === null ? 'never' : date(each.lastUsedAt),
              each.organizationId,
            ]),
        );
      }
    });

  secret
    .command('create')
    .description('create a secret, which is shown only once')
    .requiredOption('--name <text>', 'a name that says what the secret is for')
    .option('--org <organization>', 'organization (id or name); optional if there is only one')
    .option(
      '--permissions <list>',
      `any of ${permissionNames.join(', ')} (default: ${defaultPermissions.join(', ')})`,
      readPermissions,
    )
    .option('--bots <list>', 'bots that the secret can access, by id or name (default: all)', readList)
    .addOption(
      new Option('--expires <when>', 'date (2027-12-31), date-time, number of days (90d), or "never"')
        .argParser(readExpiry)
        .default(readExpiry(suggestedExpiry), suggestedExpiry),
    )
    .addHelpText(
      'after',
      examples(
        'roster secret create --name "Web shop"',
        'roster secret create --name Report --permissions contacts:read --bots Support,Shop --expires never',
        'ROSTER_SECRET=$(roster secret create --name import --expires 1d)',
      ),
    )
    .action(async ({ name, org, permissions, bots, expires }: CreateFlags, command: Command) => {
      const made = await withOperator(command, async (operator) => {
        const organizationId = await findOrg(operator, org);
        const reached = bots && (await findBots(operator, organizationId, bots));
        return operator.createSecret(organizationId, {
          name,
          permissions,
          bots: reached,
          expiresAt: expires === never ? null : expires,
        });
      });
      const output = outputOf(command);
      if (output.isJson) output.json({ secret: made.secret, ...describe(made) });
      // The secret alone, so that $(…) is the secret.
      else output.print(made.secret);
      output.note("Copy this secret now: it won't be shown again. Store it where only your server can read it.");
      if (command.getOptionValueSource('expires') === 'default' && made.expiresAt !== null) {
        output.note(`It expires on ${time(made.expiresAt)}. To choose another date or "never", pass --expires.`);
      }
    });

  secret
    .command('rename')
    .description('rename a secret')
    .argument('<secret>', 'id or name of the secret, never the secret itself')
    .argument('<name>', 'the new name')
    .addHelpText('after', examples('roster secret rename "First secret" "Web shop"'))
    .action(async (given: string, name: string, _: unknown, command: Command) => {
      const renamed = await withOperator(command, async (operator) => {
        const found = pick('secret', await operator.listSecrets(), given, 'Pass one of these');
        return operator.renameSecret(found, name);
      });
      const output = outputOf(command);
      if (output.isJson) output.json(describe(renamed));
      else output.print(`Renamed ${renamed.id} to ${renamed.name}.`);
    });

  secret
    .command('revoke')
    .description('revoke a secret, immediately and permanently')
    .argument('<secret>', 'id or name of the secret, never the secret itself')
    .option('-y, --yes', 'skip the confirmation')
    .addHelpText('after', examples('roster secret revoke "Web shop"', 'roster secret revoke sec_… --yes'))
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const revoked = await withOperator(command, async (operator) => {
        const secrets = await operator.listSecrets();
        // A name that was used before means the secret that still works.
        const active = secrets.filter(({ name, revokedAt }) => name === given && revokedAt === null);
        const found = pick('secret', active.length > 0 ? active : secrets, given, 'Pass one of these');
        if (found.revokedAt !== null) throw refusal(`${found.id} (${found.name}) is already revoked.`);
        await confirmOrStop(
          invocationOf(command),
          `Revoke ${found.id} (${found.name})? Requests that use it will be rejected.`,
          yes,
        );
        await operator.revokeSecret(found);
        return pick('secret', await operator.listSecrets(), found.id, 'Pass one of these');
      });
      const output = outputOf(command);
      if (output.isJson) output.json(describe(revoked));
      else output.print(`Revoked ${revoked.id} (${revoked.name}).`);
    });
}

/** A name that holds a comma is not one of these: its id is. */
function readList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function readPermissions(text: string): Permission[] {
  const given = readList(text);
  const unknown = given.find((name) => !permissionNames.includes(name as Permission));
  if (unknown === undefined && given.length > 0) return given as Permission[];
  const reason = unknown === undefined ? 'Pass at least one permission.' : `"${unknown}" is not a permission.`;
  throw new InvalidArgumentError(`${reason} The permissions are ${permissionNames.join(', ')}.`);
}

async function findBots(operator: Operator, organizationId: string, given: readonly string[]): Promise<string[]> {
  const bots = await operator.listBots(organizationId);
  if (given.length === 0) throw usageError('--bots names no bot. Leave it out for all bots.');
  return given.map((each) => pick('bot', bots, each, 'Pass --bots').id);
}

/** Times without a zone are UTC, as all times of Roster. */
function readExpiry(text: string): string {
  if (text === never) return never;
  const days = /^([1-9][0-9]{0,4})d$/.exec(text)?.[1];
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text);
  const isZoned = /T.*(Z|[+-]\d\d:\d\d)$/.test(text) || !text.includes('T');
  const at =
    days !== undefined
      ? Date.now() + Number(days) * dayMs
      : isTime
        ? Date.parse(isZoned ? text : `${text}Z`)
        : Number.NaN;
  if (at > Date.now()) return new Date(at).toISOString();
  throw new InvalidArgumentError(
    'Pass a date (2027-12-31) or date-time in the future, a number of days (90d), or "never".',
  );
}

export function stateOf({ expiresAt, revokedAt }: OperatorSecret): 'active' | 'expired' | 'revoked' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

function describe(secret: OperatorSecret) {
  const { id, organizationId, name, prefix, permissions, bots, createdBy, createdById } = secret;
  const { createdAt, expiresAt, revokedAt, lastUsedAt } = secret;
  const state = stateOf(secret);
  const more = { prefix, permissions, bots, createdBy, createdById, lastUsedAt };
  return { id, organizationId, name, state, createdAt, expiresAt, revokedAt, ...more };
}
