// roster setup: an organization, a bot, a secret and an owner for provisioning tools. What exists is left as it is.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '@roster/server/operator';
import type { Command } from 'commander';
import { examples, type GlobalFlags, outputOf } from '../context.ts';
import { refusal, usageError } from '../failure.ts';
import { OperatorError } from '../operator/operator-error.ts';
import { type ServerEntry, withServer } from '../operator-session.ts';

interface SetupFlags {
  org?: string;
  owner?: string;
  secretFile?: string;
}

export function addSetup(program: Command): void {
  program
    .command('setup')
    .description('create an organization, a bot, a secret and an owner, unless they exist; for provisioning tools')
    .option('--org <name>', 'name of the organization (ROSTER_SETUP_ORG)')
    .option('--bot <name>', 'name of the bot (ROSTER_SETUP_BOT)')
    .option('--owner <email>', 'email of the owner, who is invited by a one-time link (ROSTER_SETUP_OWNER)')
    .option('--secret-file <file>', 'file for the secret, with mode 0600 (ROSTER_SETUP_SECRET_FILE)')
    .addHelpText(
      'after',
      examples('roster setup --org Acme --bot Shop --owner dana@example.com --secret-file /etc/acme/roster.secret'),
    )
    .action(async ({ org, owner, secretFile }: SetupFlags, command: Command) => {
      const given = {
        ROSTER_SETUP_ORG: org,
        // The option is also one of the whole program, which takes it.
        ROSTER_SETUP_BOT: command.optsWithGlobals<GlobalFlags>().bot,
        ROSTER_SETUP_OWNER: owner,
        ROSTER_SETUP_SECRET_FILE: secretFile && resolve(secretFile),
      };
      const flags = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
      const { provisioned, lines } = await withServer(command, async (server) => {
        const provisioned = await setUp(server, server.loadConfig(flags));
        return { provisioned, lines: server.describeProvisioned(provisioned) };
      });
      const { organization, bot, secret, owner: madeOwner } = provisioned;
      if (provisioned.secretFile === undefined) {
        throw refusal(
          `The secret ${secret.id} was created before, and can't be shown again. Restore its file, or run "roster secret revoke ${secret.id}" and then this command again.`,
        );
      }
      const output = outputOf(command);
      if (output.isJson) {
        // The link is in its file alone.
        const { link: _, ...shown } = madeOwner ?? { link: null };
        output.json({
          organization,
          bot,
          secret: { ...secret, file: provisioned.secretFile ?? null },
          owner: madeOwner && { ...shown, linkFile: provisioned.linkFile ?? null },
        });
      } else output.print(lines.join('\n'));
    });
}

async function setUp({ provisionWithFiles, migrate, databaseFile }: ServerEntry, config: Config) {
  const { provisioning, database, dataDir } = config;
  if (provisioning === undefined) throw usageError('Pass --org, --bot and --secret-file. See "roster setup --help".');
  const { findServer } = await import('../operator/socket-client.ts');
  const isEmpty = database === undefined && !existsSync(databaseFile(dataDir));
  // A database that exists is never changed by a command that may be newer than its servers.
  if (isEmpty && (await findServer(dataDir)) === undefined) await migrate(config);
  const { openOperator } = await import('../operator/open-operator.ts');
  const operator = await openOperator(config);
  try {
    return await provisionWithFiles(provisioning, {
      provision: (given) => operator.provision(given),
      isRefusal: (error) => error instanceof OperatorError,
    });
  } finally {
    await operator.close();
  }
}
