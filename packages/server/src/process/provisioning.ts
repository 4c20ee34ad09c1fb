// Provisioning with files: the secret and the owner's link, which only this user can read. The secret is in its file before
// it is stored, so that it is never lost: a call that failed in between is completed by the next one.
import { rmSync } from 'node:fs';
import type { Provisioned, Provisioning } from '@roster/contract';
import { looksLikeSecret, makeSecret } from '../account/credentials.ts';
import type { ProvisioningSettings } from '../config/config.ts';
import { readPrivateFile, SharedFileError } from '../config/private-file.ts';
import { createSecretFile, replaceSecretFile } from './secret-file.ts';

/** A file cannot be read or written. The message says what to do. */
export class ProvisioningFileError extends Error {
  override name = 'ProvisioningFileError';
}

export interface ProvisionedWithFiles extends Provisioned {
  /** Undefined: the secret was created before, and its file is not here. */
  secretFile: string | undefined;
  /** With the link of a new invitation. */
  linkFile: string | undefined;
}

export interface ProvisioningSteps {
  /** The use case, in this process or over the operator's socket. */
  provision(given: Provisioning): Promise<Provisioned>;
  /** Whether an error of it says that nothing was created. */
  isRefusal(error: unknown): boolean;
}

export async function provisionWithFiles(
  { secretFile, ...names }: ProvisioningSettings,
  { provision, isRefusal }: ProvisioningSteps,
): Promise<ProvisionedWithFiles> {
  const { secret, isNew } = await takeSecret(secretFile);
  const provisioned = await provision({ ...names, secret, isNewSecret: isNew }).catch((error) => {
    if (isNew && isRefusal(error)) rmSync(secretFile, { force: true });
    throw error;
  });
  const isDropped = isNew && !provisioned.secret.isNew;
  if (isDropped) rmSync(secretFile, { force: true });
  const link = provisioned.owner?.link ?? undefined;
  const linkFile = link === undefined ? undefined : `${secretFile}.owner-link`;
  if (linkFile !== undefined) await writeLink(linkFile, `${link}\n`, provisioned.owner?.email ?? '');
  return { ...provisioned, secretFile: isDropped ? undefined : secretFile, linkFile };
}

/** In words for the operator, a sentence for each part. Without any secret. */
export function describeProvisioned(provisioned: ProvisionedWithFiles): string[] {
  const { organization, bot, secret, owner, secretFile, linkFile } = provisioned;
  const named = ({ id, name, isNew }: Provisioned['bot'], kind: string) =>
    isNew ? `Created the ${kind} ${name} (${id}).` : `The ${kind} ${name} (${id}) already exists.`;
  const where = secretFile === undefined ? 'Its file is not on this machine.' : `It is in ${secretFile}.`;
  return [
    named(organization, 'organization'),
    named(bot, 'bot'),
    `${named(secret, 'secret')} ${where}`,
    ...(owner === null ? [] : [describeOwner(owner, linkFile)]),
  ];
}

function describeOwner({ email, role, isNew, expiresAt }: NonNullable<Provisioned['owner']>, linkFile = ''): string {
  if (expiresAt === null) return `${email} is already a member (${role}).`;
  const until = `It expires on ${expiresAt.slice(0, 10)}.`;
  if (isNew) return `Invited ${email} (${role}). The one-time link is in ${linkFile}. ${until}`;
  const again = `For another link, run "roster member invite ${email} --role ${role}".`;
  return `${email} is already invited (${role}). ${until} ${again}`;
}

/** The secret that the file holds, or a new one, which it then holds. */
async function takeSecret(file: string): Promise<{ secret: string; isNew: boolean }> {
  const found = readSecret(file);
  if (found !== undefined) return { secret: found, isNew: false };
  const secret = makeSecret();
  try {
    if (await createSecretFile(file, `${secret}\n`)) return { secret, isNew: true };
  } catch (error) {
    throw unwritable(file, error, 'Nothing was created.');
  }
  // Another server made it at this moment.
  return { secret: readSecret(file) ?? secret, isNew: false };
}

function readSecret(file: string): string | undefined {
  try {
    const text = readPrivateFile(file).trim();
    if (looksLikeSecret(text)) return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (error instanceof SharedFileError) throw new ProvisioningFileError(error.message, { cause: error });
    throw new ProvisioningFileError(`Cannot read ${file}: ${(error as Error).message}.`, { cause: error });
  }
  throw new ProvisioningFileError(`${file} does not contain a Roster secret. Move it away, or choose another file.`);
}

async function writeLink(file: string, text: string, email: string): Promise<void> {
  try {
    await replaceSecretFile(file, text);
  } catch (error) {
    throw unwritable(file, error, `For another link, run "roster member invite ${email} --role owner".`);
  }
}

function unwritable(file: string, cause: unknown, advice: string): ProvisioningFileError {
  return new ProvisioningFileError(`Cannot write ${file}: ${(cause as Error).message}. ${advice}`, { cause });
}
