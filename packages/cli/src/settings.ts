// The only reader of the environment: which server, which bot, and the secret. A secret comes from the environment, from
// a file that only its owner can read, or from stdin; never from the command line, which every user of the machine sees.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { readPrivateFile, SharedFileError } from '@roster/server/private-file';
import { failure, usageError } from './failure.ts';
import type { Invocation } from './invocation.ts';

export interface ConnectionFlags {
  url?: string;
  bot?: string;
  config?: string;
  secretStdin?: boolean;
}

export interface Connection {
  baseUrl: string;
  botId: string;
  secret: string;
}

const settingNames = ['ROSTER_URL', 'ROSTER_BOT', 'ROSTER_SECRET'] as const;
/** Of the secret. It goes on working, and is not shown. */
const earlierName = 'ROSTER_TOKEN';
type Settings = Partial<Record<(typeof settingNames)[number] | typeof earlierName, string>>;

const defaultUrl = 'http://127.0.0.1:8080';
/** A secret with its fixed prefix, anywhere in a text. */
const secretForm = /rst_[0-9A-Za-z]{40,}/;

type Environment = NodeJS.ProcessEnv;

/** False with NO_COLOR, whatever the terminal can do. */
export function mayColor(env: Environment): boolean {
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
}

/** A secret on the command line is in the shell's history and in the list of processes by now: say so. */
export function refuseSecretArguments(args: readonly string[]): void {
  if (!args.some((each) => secretForm.test(each))) return;
  throw usageError(
    "Don't pass a secret as an argument: other users of this machine can see it, and your shell saves it in its history. Set ROSTER_SECRET, use the config file, or pass it on stdin (--secret-stdin).",
  );
}

/** Whether a secret is set anywhere but on stdin. */
export function hasSecret({ config }: ConnectionFlags, env: Environment): boolean {
  return (settingOf(env, 'ROSTER_SECRET') ?? settingOf(readConfigFile(config, env), 'ROSTER_SECRET')) !== undefined;
}

/** Whether a secret and a bot are set, so that a command that can do without a server may ask it. */
export function hasConnection(flags: ConnectionFlags, env: Environment): boolean {
  const hasBot = flags.bot || env['ROSTER_BOT']?.trim() || readConfigFile(flags.config, env).ROSTER_BOT?.trim();
  return Boolean(hasBot) && (flags.secretStdin || hasSecret(flags, env));
}

/** The command line goes before the environment, and that before the file. */
export async function readConnection(
  flags: ConnectionFlags,
  { env, stdin }: Pick<Invocation, 'env' | 'stdin'>,
): Promise<Connection> {
  const fromFile = readConfigFile(flags.config, env);
  const read = (name: keyof Settings) => settingOf(env, name) ?? settingOf(fromFile, name);
  const secret = flags.secretStdin ? (await text(stdin)).trim() : read('ROSTER_SECRET');
  if (!secret) {
    throw usageError(
      'No secret set. Set ROSTER_SECRET to a secret of your organization (rst_…). To create one, run "roster secret create".',
    );
  }
  const botId = flags.bot ?? read('ROSTER_BOT');
  if (!botId) {
    throw usageError(
      'No bot set. Set ROSTER_BOT or pass --bot with its id (bot_…). To find it, run "roster bot list".',
    );
  }
  return { secret, botId, baseUrl: flags.url ?? read('ROSTER_URL') ?? defaultUrl };
}

function settingOf(from: Environment | Settings, name: keyof Settings): string | undefined {
  return from[name]?.trim() || (name === 'ROSTER_SECRET' && from[earlierName]?.trim()) || undefined;
}

function defaultConfigFile(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'roster', 'config');
}

function readConfigFile(given: string | undefined, env: Environment): Settings {
  const named = given ?? (env['ROSTER_CONFIG'] || undefined);
  const path = named ?? defaultConfigFile(env);
  try {
    return checkNames(parseEnv(readPrivateFile(path)), path);
  } catch (error) {
    const isAbsent = ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
    if (named === undefined && isAbsent) return {};
    throw error instanceof SharedFileError ? failure(error.message) : error;
  }
}

function checkNames(settings: NodeJS.Dict<string>, path: string): Settings {
  const known: readonly string[] = [...settingNames, earlierName];
  const unknown = Object.keys(settings).filter((name) => !known.includes(name));
  if (unknown.length === 0) return settings;
  throw usageError(`${path} contains unknown settings: ${unknown.join(', ')}. It can set ${settingNames.join(', ')}.`);
}
