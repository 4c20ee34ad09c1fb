// Secrets of organizations: list, create, rename, revoke. A secret itself is shown once, when it is created.
import type { OperatorSecret } from '@roster/contract';
import { type Command, InvalidArgumentError } from 'commander';
import { examples, outputOf } from '../context.ts';
import { refusal } from '../failure.ts';
import { withOperator } from '../operator-session.ts';
import { pick } from '../pick.ts';
import { confirmOrStop } from '../terminal/ask.ts';
import { findOrg } from './bot.ts';

const dayMs = 86_400_000;

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
        output.table(
          ['id', 'begins', 'name', 'state', 'created', 'expires', 'last used', 'organization'].map((title) => ({
            title,
            isWhole: title === 'id',
          })),
          secrets
            .map(describe)
            .map((each) => [
              each.id,
              each.prefix,
              each.name,
              each.state,
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
    .option('--expires <when>', 'a day (2027-12-31), a time, or a number of days (90d); never if left out', readExpiry)
    .addHelpText(
      'after',
      examples(
        'roster secret create --name "Web shop"',
        'ROSTER_TOKEN=$(roster secret create --name import --expires 1d)',
      ),
    )
    .action(async ({ name, org, expires }: { name: string; org?: string; expires?: string }, command: Command) => {
      const made = await withOperator(async (operator) =>
        operator.createSecret(await findOrg(operator, org), { name, expiresAt: expires }),
      );
      const output = outputOf(command);
      if (output.isJson) output.json({ secret: made.secret, ...describe(made) });
      // The secret alone, so that $(…) is the secret.
      else output.print(made.secret);
      output.note('This secret is shown only this once: keep it where your server finds it, and nowhere else.');
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

/** Times without a zone are UTC, as all times of Roster. */
function readExpiry(text: string): string {
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
  throw new InvalidArgumentError('It must be in the future: a day (2027-12-31), a time, or a number of days (90d).');
}

function describe(secret: OperatorSecret) {
  const { id, organizationId, name, prefix, createdBy, createdAt, expiresAt, revokedAt, lastUsedAt } = secret;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  const state = revokedAt !== null ? 'revoked' : isExpired ? 'expired' : 'active';
  return { id, organizationId, name, state, createdAt, expiresAt, revokedAt, prefix, createdBy, lastUsedAt };
}
