// What a start creates: what the settings ask for, or on the very first start an organization, a bot and a secret, so that
// the service can be tried at once. And the link that makes an owner, which every start makes anew until there is one. Both
// are shown on stdout, or kept in files.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { defaultBotSettings } from '@roster/contract';
import { AccountError } from '../account/account-error.ts';
import { makeSetUpCode, setUpUrl } from '../account/one-time-links.ts';
import { provision } from '../account/provisioning.ts';
import { newSecret } from '../account/secrets.ts';
import type { Config, ProvisioningSettings } from '../config/config.ts';
import { makeId, makeIdSource } from '../contacts/ids.ts';
import type { Deps } from '../deps.ts';
import { OutcomeUnknownError, type Store, StoreUnavailableError } from '../store/store.ts';
import { contextAt } from '../store/write-context.ts';
import { describeProvisioned, ProvisioningFileError, provisionWithFiles } from './provisioning.ts';
import { createSecretFile, replaceSecretFile } from './secret-file.ts';
import { StartError } from './start-error.ts';

export interface FirstRun {
  organizationId: string;
  botId: string;
  secret: string;
}

interface FirstRunDeps {
  store: Store;
  clock: () => number;
  config: Pick<Config, 'dataDir' | 'isPrintingSecrets' | 'provisioning' | 'publicUrl'>;
}

/**
 * Resolves with what to print about it. Undefined when there is an organization already, another process makes the first
 * one at this moment, or the settings say what to create.
 */
export async function createFirstOrganization(
  { store, clock, config }: FirstRunDeps,
  url: string,
): Promise<string | undefined> {
  if (config.provisioning !== undefined) return undefined;
  const nowMs = clock();
  const organizationId = makeId('organization', nowMs * 1000);
  const botId = makeId('bot', nowMs * 1000);
  const id = makeId('secret', nowMs * 1000);
  const secret = newSecret({ id, organizationId, name: 'First secret', createdAtMs: nowMs });
  const first = {
    organization: { id: organizationId, name: 'My organization', createdAtMs: nowMs },
    bot: { id: botId, organizationId, ...defaultBotSettings, name: 'My bot', createdAtMs: nowMs },
    secret: secret.stored,
  };
  const firstRun = { organizationId, botId, secret: secret.text };
  if (config.isPrintingSecrets) {
    return (await store.createFirstOrganization(first, contextAt(nowMs))) ? printedWelcome(firstRun, url) : undefined;
  }
  if ((await store.listOrganizations()).length > 0) return undefined;
  const file = join(config.dataDir, 'first-secret.txt');
  // Before the secret is valid: a start that fails or is cut off must not leave one that nobody can ever see.
  await writing(file, async () => {
    if (await createSecretFile(file, welcomeFile(firstRun, url))) return;
    throw new Error('a file of that name exists already');
  });
  const isFirst = await store.createFirstOrganization(first, contextAt(nowMs)).catch((error) => {
    const isUnchanged = error instanceof StoreUnavailableError && !(error instanceof OutcomeUnknownError);
    if (isUnchanged) rmSync(file);
    throw error;
  });
  if (!isFirst) rmSync(file);
  return isFirst ? `${welcome}.\nThe secret is in ${file}, which only this user can read.\n` : undefined;
}

/**
 * Before the first request. What is found stays as it is. A file that cannot be written stops the start; a refusal does not:
 * a secret that somebody revoked must not keep the service from starting again.
 */
export async function provisionAtStart(
  { store, clock, logger, config: { publicUrl } }: Pick<Deps, 'store' | 'clock' | 'logger' | 'config'>,
  settings: ProvisioningSettings,
): Promise<void> {
  const deps = { store, clock, publicUrl, nextId: makeIdSource() };
  try {
    const provisioned = await provisionWithFiles(settings, {
      provision: (given) => provision(deps, given),
      isRefusal: (error) => error instanceof AccountError,
    });
    const { organization, bot, secret, owner } = provisioned;
    const ids = { organizationId: organization.id, botId: bot.id, secretId: secret.id };
    if ([organization, bot, secret, owner].some((part) => part?.isNew)) {
      process.stdout.write(`\n${describeProvisioned(provisioned).join('\n')}\n`);
      logger.info(ids, 'the setup created what was missing');
    } else if (provisioned.secretFile === undefined) {
      logger.info(ids, 'the secret of the setup exists, but its file is not on this machine');
    }
  } catch (error) {
    if (error instanceof ProvisioningFileError) throw new StartError(error.message, { cause: error });
    if (!(error instanceof AccountError)) throw error;
    logger.error({ reason: error.message }, 'the setup was rejected');
  }
}

/** Resolves with what to print about it. Undefined when an owner exists. */
export async function makeSetUpLink({ store, clock, config }: FirstRunDeps, url: string): Promise<string | undefined> {
  // The owner that the settings name has an invitation. A set-up link would be a second way in, for anyone who reads it.
  if (config.provisioning?.owner !== undefined) return undefined;
  const code = await makeSetUpCode(store, clock());
  const file = join(config.dataDir, 'setup-link.txt');
  if (code === undefined) {
    if (!config.isPrintingSecrets) removeSpent(file);
    return undefined;
  }
  // With port 0 only the system knows the port.
  const reachable = new URL(config.publicUrl).port === '0' ? url : config.publicUrl;
  const link = setUpUrl(reachable, code);
  if (config.isPrintingSecrets) return `Set up your account: ${link}\n`;
  // Only the last link works, so that the one before it is no loss.
  await writing(file, () => replaceSecretFile(file, `${link}\n`));
  return `To set up your account, open the link in ${file}, which only this user can read.\n`;
}

async function writing(file: string, write: () => Promise<void>): Promise<void> {
  try {
    const folder = dirname(file);
    // With PostgreSQL nothing has created the data folder yet.
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    await write();
  } catch (cause) {
    throw new StartError(
      `Cannot write ${file}: ${(cause as Error).message}. Make room or give this user write access, move away a file of that name, or set ROSTER_PRINT_SECRETS=true to print secrets instead.`,
      { cause },
    );
  }
}

function removeSpent(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The folder may be read-only, and the link opens nothing any more.
  }
}

const welcome = 'Welcome to Roster. This is the first start, so we created an organization, a bot and a secret for you';

/** Goes straight to the terminal, and nowhere else: it holds the secret. */
function printedWelcome(firstRun: FirstRun, url: string): string {
  const advice = "Copy the secret now: it won't be shown again. Store it where only your server can read it.";
  return `${welcome}:\n\n${describe(firstRun, url, advice)}`;
}

function welcomeFile(firstRun: FirstRun, url: string): string {
  const advice =
    'This file is the only copy of the secret. Store it where only your server can read it, then delete this file.';
  return describe(firstRun, url, advice);
}

function describe({ organizationId, botId, secret }: FirstRun, url: string, advice: string): string {
  return `  organization  ${organizationId}
  bot           ${botId}
  secret        ${secret}

${advice}

To create your first contact, run:

  curl -X PUT ${url}/v1/bots/${botId}/contacts \\
    -H 'Authorization: Bearer ${secret}' \\
    -H 'Content-Type: application/json' \\
    -d '{"name":"Jane Doe","email":"jane@example.com"}'
`;
}
