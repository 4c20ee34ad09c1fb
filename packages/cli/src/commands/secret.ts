// Secrets of organizations: list, create, rename, revoke. A secret itself is shown once, when it is created.
import { defaultPermissions, type OperatorSecret, type Permission, permissionNames } from '@roster/contract';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import type { Operator } from '../operator/operator.ts';
import { withOperator } from '../operator-session.ts';
import { pick } from '../pick.ts';
import { confirmOrStop } from '../terminal/ask.ts';
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
  const secret = program.command('secret').description('secrets, by which servers speak for an organization');

  secret
    .command('list')
    .description('all secrets and their states; what they are is not kept')
    .option('--org <organization>', 'only those of this one; its id or name')
    .action(async ({ org }: { org?: string }, command: Command) => {
      const secrets = await withOperator(async (operator) =>
        operator.listSecrets(org && (await findOrg(operator, org))),
      );
      const output = outputOf(command);
      if (output.isJson) output.json(secrets.map(describe));
      else {
        await output.table(
          [
            'id',
            'begins',
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
              each.createdAt.slice(0, 10),
              each.expiresAt?.slice(0, 10) ?? 'never',
              each.lastUsedAt?.slice(0, 10) ?? 'never',
              each.organizationId,
            ]),
        );
      }
    });

  secret
    .command('create')
    .description('a new secret; it is shown only once')
    .requiredOption('--name <text>', 'what it is for, to know it again')
    .option('--org <organization>', 'whose; its id or name; may be left out when there is one')
    .option(
      '--permissions <list>',
      `what it may do, of ${permissionNames.join(', ')}; ${defaultPermissions.join(', ')} if left out`,
      readPermissions,
    )
    .option('--bots <list>', 'the bots that it reaches, by id or name; all if left out', readList)
    .addOption(
      new Option('--expires <when>', 'a day (2027-12-31), a time, a number of days (90d), or "never"')
        .argParser(readExpiry)
        .default(readExpiry(suggestedExpiry), suggestedExpiry),
    )
    .addHelpText(
      'after',
      examples(
        'roster secret create --name "Web shop"',
        'roster secret create --name Report --permissions contacts:read --bots Support,Shop --expires never',
        'ROSTER_TOKEN=$(roster secret create --name import --expires 1d)',
      ),
    )
    .action(async ({ name, org, permissions, bots, expires }: CreateFlags, command: Command) => {
      const made = await withOperator(async (operator) => {
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
      output.note('This secret is shown only this once: keep it where your server finds it, and nowhere else.');
      if (command.getOptionValueSource('expires') === 'default') {
        output.note(`It expires on ${made.expiresAt?.slice(0, 10)}. --expires sets another day, or "never".`);
      }
    });

  secret
    .command('rename')
    .description('give a secret another name')
    .argument('<secret>', 'its id or name, never the secret itself')
    .argument('<name>', 'the new name')
    .addHelpText('after', examples('roster secret rename "First secret" "Web shop"'))
    .action(async (given: string, name: string, _: unknown, command: Command) => {
      const renamed = await withOperator(async (operator) => {
        const found = pick('secret', await operator.listSecrets(), given, 'Pass it');
        return operator.renameSecret(found, name);
      });
      const output = outputOf(command);
      if (output.isJson) output.json(describe(renamed));
      else output.print(`${renamed.id} is called ${renamed.name} now.`);
    });

  secret
    .command('revoke')
    .description('make a secret worthless, at once and for good')
    .argument('<secret>', 'its id or name, never the secret itself')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('roster secret revoke "Web shop"', 'roster secret revoke sec_… --yes'))
    .action(async (given: string, { yes }: { yes?: boolean }, command: Command) => {
      const revoked = await withOperator(async (operator) => {
        const secrets = await operator.listSecrets();
        // A name that was used before means the secret that still works.
        const active = secrets.filter(({ name, revokedAt }) => name === given && revokedAt === null);
        const found = pick('secret', active.length > 0 ? active : secrets, given, 'Pass it');
        if (found.revokedAt !== null) throw refusal(`${found.id} (${found.name}) is revoked already.`);
        await confirmOrStop(`Revoke ${found.id} (${found.name})? Whoever uses it is refused from then on.`, yes);
        await operator.revokeSecret(found);
        return pick('secret', await operator.listSecrets(), found.id, 'Pass it');
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
  const reason = unknown === undefined ? 'Name at least one.' : `"${unknown}" is no permission.`;
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
    'It must be in the future: a day (2027-12-31), a time, a number of days (90d), or "never".',
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
