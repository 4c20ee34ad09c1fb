// The operator's side: the server's entry for operators, loaded only when a command needs it, and its failures in terms
// of exit codes. The work is done by the running server, over the socket in its data folder, or else by this process.
import type { Config } from '@roster/server/operator';
import type { Command } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { CliError } from './failure.ts';
import { becomeServiceUser, findInstalledService } from './installed-service.ts';
import { invocationOf } from './invocation.ts';
import type { Operator } from './operator/operator.ts';
import { OperatorError } from './operator/operator-error.ts';

type OperatorEntry = typeof import('@roster/server/operator');

/** Its settings are read from the environment of the command, or are those of the service that is installed with it. */
export type ServerEntry = Omit<OperatorEntry, 'loadConfig'> & {
  loadConfig(flags?: NodeJS.Dict<string>): Config;
};

/** For commands that need the settings, but no store. */
export async function withServer<Answer>(
  command: Command,
  work: (server: ServerEntry) => Promise<Answer>,
): Promise<Answer> {
  const invocation = invocationOf(command);
  const server = await import('@roster/server/operator');
  server.keepToSelf();
  const loadConfig: ServerEntry['loadConfig'] = (flags = {}) => {
    const service = findInstalledService(invocation);
    if (service === undefined) return server.loadConfig(flags, invocation.env);
    // What root keeps in its home is out of reach from then on.
    if (becomeServiceUser(service)) invocation.env['XDG_CONFIG_HOME'] = service.folder;
    // They go before the rest of the environment. Processes that this one starts find them there too.
    Object.assign(invocation.env, service.settings);
    return server.loadConfig(flags, invocation.env, service.folder);
  };
  try {
    return await work({ ...server, loadConfig });
  } catch (error) {
    throw inExitCodes(error, server);
  }
}

/** Commands that change or list what belongs to operators. */
export async function withOperator<Answer>(
  command: Command,
  work: (operator: Operator, config: Config) => Promise<Answer>,
): Promise<Answer> {
  return withServer(command, async ({ loadConfig }) => {
    const { openOperator } = await import('./operator/open-operator.ts');
    const config = loadConfig();
    const operator = await openOperator(config);
    try {
      return await work(operator, config);
    } finally {
      await operator.close();
    }
  });
}

function inExitCodes(error: unknown, server: OperatorEntry): unknown {
  if (!(error instanceof Error)) return error;
  const { message } = error;
  if (error instanceof server.ConfigError) return new CliError(exitCodes.usage, message, { cause: error });
  if (error instanceof OperatorError) {
    return new CliError(exitCodes.refused, message, { code: error.code, cause: error });
  }
  const kinds = [
    server.StoreOpenError,
    server.StoreUnavailableError,
    server.StartError,
    server.MoveError,
    server.BackupError,
    server.ProvisioningFileError,
  ];
  return kinds.some((kind) => error instanceof kind)
    ? new CliError(exitCodes.failed, message, { cause: error })
    : error;
}
