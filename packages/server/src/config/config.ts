// The only reader of the environment. Everything is checked before anything starts, and all problems are reported at once.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { limits, provisioningSchema } from '@roster/contract';
import { defaultQuotas, type Quotas } from '../account/quotas.ts';
import { defaultRetriesMs } from '../delivery/schedule.ts';
import { isUnspecified } from '../network/addresses.ts';
import { privateNetworks } from '../network/public-addresses.ts';
import { readPrivateFile, SharedFileError } from './private-file.ts';
import {
  parseBaseUrl,
  parseBoolean,
  parseContact,
  parseDatabaseUrl,
  parseHost,
  parseNetworks,
  parseRetries,
  parseSwitch,
  parseTrustProxy,
  valid,
  wholeNumber,
} from './setting-values.ts';

export interface ProvisioningSettings {
  organization: string;
  bot: string;
  /** The email of the owner. Undefined: nobody is invited. */
  owner: string | undefined;
  secretFile: string;
}

export interface Config {
  host: string;
  port: number;
  dataDir: string;
  /** Undefined: SQLite in `dataDir`. */
  database: Database | undefined;
  /** Processes that share the port. More than one needs a database. */
  workers: number;
  /** How long a server that is to stop still serves, for load balancers to notice that it is not ready any more. */
  stopDelayMs: number;
  /** How long requests in flight have to finish when a server stops. */
  stopTimeoutMs: number;
  publicUrl: string;
  /** Whether the first secret and the set-up link go to stdout, or else into files of `dataDir`. */
  isPrintingSecrets: boolean;
  /** Whether `Strict-Transport-Security` covers the subdomains of the public address too. */
  hstsSubdomains: boolean;
  /** How many proxies stand in front, or which addresses are theirs. False: none, and their headers are not believed. */
  trustProxy: false | number | string[];
  bodyLimitBytes: number;
  /** Connections that one address may have open, of each process. Proxies are not counted. */
  connectionsPerAddress: number;
  /** Requests per minute and organization. Undefined: no limit. */
  rateLimitPerMinute: number | undefined;
  logLevel: LogLevel;
  metricsToken: string | undefined;
  quotas: Quotas;
  /** Where to report a vulnerability of this installation, as a URI. */
  securityContact: string | undefined;
  /** How long entries of the audit log are kept. */
  auditDays: number;
  /** How long events are kept. */
  eventDays: number;
  /** How long a failed delivery to a webhook waits, before each further attempt. */
  webhookRetriesMs: readonly number[];
  /** Where webhooks may lead besides the public internet, also by http. */
  webhookNetworks: readonly string[];
  /** Where the operator keeps backups, for the doctor. */
  backupDir: string | undefined;
  /** What a start creates if it is missing. Undefined: nothing but the very first organization. */
  provisioning: ProvisioningSettings | undefined;
}

export interface Database {
  /** Holds the password: it goes to the driver and nowhere else. */
  url: string;
  /** Of each process. */
  connections: number;
  /** Whether a start brings the schema up to date. */
  isMigrating: boolean;
}

/** Connections of the process that leads workers: it migrates, purges and restarts workers, one thing at a time. */
export const leaderConnections = 3;

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

/** The settings are wrong. The message has a line for each problem. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

type Environment = Record<string, string | undefined>;

/** The environment goes before the `.env` file, as everywhere, and the command line before both. */
export function loadConfig(
  commandLine: Environment = {},
  environment: Environment = process.env,
  folder = process.cwd(),
): Config {
  return readConfig({ ...readEnvFile(resolve(folder, '.env')), ...environment, ...commandLine }, folder);
}

function readEnvFile(file: string): Environment {
  try {
    return existsSync(file) ? parseEnv(readPrivateFile(file)) : {};
  } catch (cause) {
    if (cause instanceof SharedFileError) throw new ConfigError(cause.message, { cause });
    throw new ConfigError(`Cannot read ${file}: ${(cause as Error).message}. Fix it or move it away.`, { cause });
  }
}

export function readConfig(environment: Environment, folder: string): Config {
  const problems: string[] = [];

  /** Reads one setting. An empty one counts as not set, as in a shell's `NAME= command`. */
  const read = <Value>(name: string, fallback: Value, parse: (text: string) => Value | undefined, wanted: string) => {
    const text = environment[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (value !== undefined) return value;
    // An address with a password in it is not repeated.
    const isQuoted = !text.includes('@') && name !== 'DATABASE_URL';
    problems.push(`${name} must be ${wanted}${isQuoted ? `; it is "${text}"` : ''}.`);
    return fallback;
  };

  const readQuota = (name: string, fallback: number) =>
    read(name, fallback, wholeNumber(1, 1_000_000), 'a number from 1 to 1000000');

  const host = read('ROSTER_HOST', '127.0.0.1', parseHost, 'an IP address or localhost');
  const port = read('ROSTER_PORT', 8080, wholeNumber(0, 65535), 'a port from 0 to 65535');
  const config: Config = {
    host,
    port,
    dataDir: resolve(
      folder,
      read('ROSTER_DATA_DIR', 'data', (text) => text, 'a folder'),
    ),
    database: undefined,
    workers: read('ROSTER_WORKERS', 1, wholeNumber(1, 256), 'a number of processes from 1 to 256'),
    stopDelayMs: 1000 * read('ROSTER_STOP_DELAY', 0, wholeNumber(0, 300), 'a number of seconds from 0 to 300'),
    // The end of deliveries takes up to 7 seconds beside the requests.
    stopTimeoutMs: 1000 * read('ROSTER_STOP_TIMEOUT', 8, wholeNumber(8, 300), 'a number of seconds from 8 to 300'),
    publicUrl: read(
      'ROSTER_PUBLIC_URL',
      httpUrl(host, port),
      parseBaseUrl,
      'an http or https address without query, like https://contacts.example.com',
    ),
    isPrintingSecrets: read('ROSTER_PRINT_SECRETS', true, parseBoolean, 'true or false'),
    hstsSubdomains: read('ROSTER_HSTS_SUBDOMAINS', false, parseBoolean, 'true or false'),
    trustProxy: read<Config['trustProxy']>(
      'ROSTER_TRUST_PROXY',
      false,
      parseTrustProxy,
      'the number of proxies in front, or their addresses and networks separated by commas (10.0.0.0/8, loopback)',
    ),
    bodyLimitBytes: read(
      'ROSTER_BODY_LIMIT',
      limits.bodyBytes,
      wholeNumber(1024, 128 * 1024 ** 2),
      'a number of bytes from 1024 to 134217728',
    ),
    connectionsPerAddress: read(
      'ROSTER_CONNECTIONS_PER_ADDRESS',
      1000,
      wholeNumber(1, 1_000_000),
      'a number of connections from 1 to 1000000',
    ),
    rateLimitPerMinute: read<number | undefined>(
      'ROSTER_RATE_LIMIT',
      undefined,
      wholeNumber(1, 1_000_000_000),
      'a number of requests per minute, 1 or more',
    ),
    quotas: {
      botsPerOrganization: readQuota('ROSTER_BOTS_PER_ORGANIZATION', defaultQuotas.botsPerOrganization),
      secretsPerOrganization: readQuota('ROSTER_SECRETS_PER_ORGANIZATION', defaultQuotas.secretsPerOrganization),
      invitationsPerOrganization: readQuota(
        'ROSTER_INVITATIONS_PER_ORGANIZATION',
        defaultQuotas.invitationsPerOrganization,
      ),
      tokensPerContact: readQuota('ROSTER_TOKENS_PER_CONTACT', defaultQuotas.tokensPerContact),
      sessionsPerMember: readQuota('ROSTER_SESSIONS_PER_MEMBER', defaultQuotas.sessionsPerMember),
    },
    auditDays: read('ROSTER_AUDIT_DAYS', 365, wholeNumber(1, 36_500), 'a number of days from 1 to 36500'),
    // Whoever follows a feed may be down for a few days, and must then not begin anew.
    // And on PostgreSQL they prove what a write did whose connection was lost at its commit.
    eventDays: read('ROSTER_EVENT_DAYS', limits.eventDays, wholeNumber(7, 3650), 'a number of days from 7 to 3650'),
    webhookRetriesMs: read(
      'ROSTER_WEBHOOK_RETRIES',
      defaultRetriesMs,
      parseRetries,
      'up to 50 numbers of seconds, like 5,60,300',
    ),
    webhookNetworks: [
      ...(read('ROSTER_WEBHOOK_PRIVATE', false, parseSwitch, '1 or 0') ? privateNetworks : []),
      ...read<string[]>(
        'ROSTER_WEBHOOK_ALLOW',
        [],
        parseNetworks,
        'addresses and networks separated by commas, like 10.0.0.0/8,127.0.0.1, and none of them link-local',
      ),
    ],
    logLevel: read<LogLevel>(
      'ROSTER_LOG_LEVEL',
      'info',
      (text) => logLevels.find((level) => level === text),
      `one of ${logLevels.join(', ')}`,
    ),
    metricsToken: environment['ROSTER_METRICS_TOKEN']?.trim() || undefined,
    securityContact: read<string | undefined>(
      'ROSTER_SECURITY_CONTACT',
      undefined,
      parseContact,
      'a mailto:, https: or tel: address, like mailto:security@example.com',
    ),
    backupDir: read<string | undefined>('ROSTER_BACKUP_DIR', undefined, (text) => resolve(folder, text), 'a folder'),
    provisioning: undefined,
  };
  // The value is a secret, so no message may quote it.
  if (config.metricsToken !== undefined && !/^\S{16,}$/.test(config.metricsToken)) {
    problems.push('ROSTER_METRICS_TOKEN must have at least 16 characters and no white space.');
  }
  const url = read<string | undefined>('DATABASE_URL', undefined, parseDatabaseUrl, 'a postgres:// address');
  const connections = read('ROSTER_DATABASE_CONNECTIONS', 12, wholeNumber(3, 1000), 'a number from 3 to 1000');
  const isMigrating = read('ROSTER_MIGRATE', true, parseBoolean, 'true or false');
  if (url !== undefined) config.database = { url, connections, isMigrating };
  if (config.workers > 1 && !environment['DATABASE_URL']) {
    problems.push(
      'ROSTER_WORKERS (--workers) is more than 1, but an SQLite file belongs to one process. Set DATABASE_URL to use PostgreSQL, or remove ROSTER_WORKERS.',
    );
  }
  const { organization, bot, owner } = provisioningSchema.shape;
  const readText = (name: string, parse: (text: string) => string | undefined, wanted: string) =>
    read<string | undefined>(name, undefined, parse, wanted);
  const name = `a name of up to ${limits.nameLength} characters`;
  const wanted = {
    organization: readText('ROSTER_SETUP_ORG', valid(organization), name),
    bot: readText('ROSTER_SETUP_BOT', valid(bot), name),
    owner: readText('ROSTER_SETUP_OWNER', valid(owner), 'an email address, like jane@example.com'),
    secretFile: readText('ROSTER_SETUP_SECRET_FILE', (text) => resolve(folder, text), 'a file'),
  };
  const isComplete = wanted.organization !== undefined && wanted.bot !== undefined && wanted.secretFile !== undefined;
  if (isComplete) config.provisioning = wanted as ProvisioningSettings;
  else if (problems.length === 0 && Object.values(wanted).some((value) => value !== undefined)) {
    problems.push(
      'ROSTER_SETUP_ORG (--org), ROSTER_SETUP_BOT (--bot) and ROSTER_SETUP_SECRET_FILE (--secret-file) are needed together. Set all three.',
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** How this machine reaches a server that listens there. */
export function httpUrl(host: string, port: number): string {
  const name = isUnspecified(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
