// Which organization, bot or secret is meant: by id, by name, or the only one there is.
import { refusal, usageError } from './failure.ts';

interface Named {
  id: string;
  name: string;
}

const listedMax = 10;

/** `how` says by which option or argument one is chosen. */
export function pick<Item extends Named>(
  kind: string,
  items: readonly Item[],
  given: string | undefined,
  how: string,
): Item {
  if (given === undefined) {
    const [only, ...others] = items;
    if (only === undefined)
      throw refusal(
        `There is no ${kind} yet. To create one, run "roster ${command(kind)} ${kind === 'member' ? 'invite' : 'create'}".`,
      );
    if (others.length === 0) return only;
    throw usageError(`There are several ${kind}s. ${how}: ${listed(items)}.`);
  }
  const byId = items.find(({ id }) => id === given);
  if (byId !== undefined) return byId;
  const [first, ...others] = items.filter(({ name }) => name === given);
  if (first === undefined)
    throw refusal(`There is no ${kind} "${given}". To see all ${kind}s, run "roster ${command(kind)} list".`);
  if (others.length > 0)
    throw usageError(`Several ${kind}s are named "${given}". Pass one of their ids: ${listed([first, ...others])}.`);
  return first;
}

function listed(items: readonly Named[]): string {
  const shown = items.slice(0, listedMax).map(({ id, name }) => `${id} (${name})`);
  return items.length > listedMax ? `${shown.join(', ')} and ${items.length - listedMax} more` : shown.join(', ');
}

const command = (kind: string) => (kind === 'organization' ? 'org' : kind);
