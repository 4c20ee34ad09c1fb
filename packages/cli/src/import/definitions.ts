// The attributes of the bot, by which an import reads its columns. An import that does without attributes needs neither the
// permission to list them nor, in a dry run, a server.
import { ForbiddenError, NotFoundError, type Roster, RosterError } from '@roster/client';
import type { AttributeDefinition } from '@roster/contact-files';

export interface DefinitionsOptions {
  isDryRun: boolean;
  /** Whether an option of the command names attributes. */
  isRequired: boolean;
}

/** Undefined when they cannot be known, and need not. */
export async function readDefinitions(
  roster: Roster | undefined,
  { isDryRun, isRequired }: DefinitionsOptions,
): Promise<AttributeDefinition[] | undefined> {
  if (roster === undefined) return undefined;
  try {
    return (await roster.attributes.list()).data;
  } catch (error) {
    // A server of an earlier version has no attributes.
    const isRefused = error instanceof ForbiddenError || error instanceof NotFoundError;
    const isOptional = isDryRun ? error instanceof RosterError : isRefused;
    if (isRequired || !isOptional) throw error;
    return undefined;
  }
}
