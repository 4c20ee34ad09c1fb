// roster doctor: looks at the whole set-up, and says what is wrong and how to mend it.
import { resolve } from 'node:path';
import { Roster } from '@roster/client';
import type { Finding } from '@roster/server/operator';
import type { Command } from 'commander';
import { examples, type GlobalFlags, outputOf } from '../context.ts';
import { exitCodes } from '../exit-codes.ts';
import { explain } from '../failure.ts';
import { invocationOf, setExitCode } from '../invocation.ts';
import { withServer } from '../operator-session.ts';
import { hasSecret, readConnection } from '../settings.ts';
import { contacts } from '../terminal/locale.ts';

const marks = { ok: ['green', 'ok'], warning: ['yellow', 'warning'], problem: ['red', 'PROBLEM'] } as const;
const markWidth = 8;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the installation and report problems')
    .option('--backups <folder>', 'folder that has your backups, to check their age (ROSTER_BACKUP_DIR)')
    .addHelpText('after', examples('roster doctor', 'roster doctor --backups /backups --json'))
    .action(async ({ backups }: { backups?: string }, command: Command) => {
      const found = await withServer(command, async ({ loadConfig, runDoctor }) => {
        const { findServer } = await import('../operator/socket-client.ts');
        return runDoctor(
          () => loadConfig(backups === undefined ? {} : { ROSTER_BACKUP_DIR: resolve(backups) }),
          findServer,
        );
      });
      const findings = [...found, await checkContactCommands(command)];
      const output = outputOf(command);
      if (findings.some(({ level }) => level === 'problem')) setExitCode(command, exitCodes.incomplete);
      if (output.isJson) {
        output.json(findings);
        return;
      }
      for (const { check, level, message } of findings) {
        const [color, word] = marks[level];
        output.markedLine(color, word.padEnd(markWidth), `${check}: ${message}`);
      }
    });
}

/** What the contact commands need: an address, a secret and a bot that go together. */
async function checkContactCommands(command: Command): Promise<Finding> {
  const flags = command.optsWithGlobals<GlobalFlags>();
  const invocation = invocationOf(command);
  const check = 'contact commands';
  try {
    if (!flags.secretStdin && !hasSecret(flags, invocation.env)) {
      return { check, level: 'ok', message: 'not checked, because ROSTER_SECRET is not set.' };
    }
    const connection = await readConnection(flags, invocation);
    const { pagination } = await new Roster({ ...connection, maxRetries: 0 }).contacts.search({ limit: 1 });
    return {
      check,
      level: 'ok',
      message: `${connection.baseUrl} accepts the secret. The bot has ${contacts(pagination.total)}.`,
    };
  } catch (error) {
    const explained = explain(error);
    if (explained === undefined) throw error;
    return { check, level: 'problem', message: explained.message };
  }
}
