// The options by which a command sets attributes and tags of one contact. What is written on the command line is text: the
// bot's definitions say which value it means.
import type { ContactUpdate, Roster } from '@roster/client';
import { readValueCell } from '@roster/contact-files/value-cells';
import { type Command, InvalidArgumentError } from 'commander';
import { usageError } from './failure.ts';

export interface ValueFlags {
  attribute?: [key: string, value: string][] | undefined;
  tag?: string[] | undefined;
  untag?: string[] | undefined;
}

const addTo = <Item>(item: Item, items: Item[] = []): Item[] => [...items, item];

export function withValues(command: Command, { isUpdate }: { isUpdate: boolean }): Command {
  command
    .option(
      '--attribute <key=value>',
      `set an attribute; can be repeated${isUpdate ? '; "key=" removes the value' : ''}`,
      (text: string, all?: [string, string][]) => addTo(readPair(text), all),
    )
    .option('--tag <name>', 'tag to add; can be repeated', (name: string, all?: string[]) => addTo(name, all));
  if (!isUpdate) return command;
  return command.option('--untag <name>', 'tag to remove; can be repeated', (name: string, all?: string[]) =>
    addTo(name, all),
  );
}

function readPair(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Pass KEY=VALUE, such as plan=pro.');
  return [text.slice(0, at), text.slice(at + 1)];
}

type Values = Pick<ContactUpdate, 'attributes' | 'addTags' | 'removeTags'>;

/** As a request has them. The definitions are read only if an attribute is given. */
export async function readValues(roster: Roster, { attribute = [], tag, untag }: ValueFlags): Promise<Values> {
  return {
    ...(attribute.length > 0 && { attributes: await readAttributes(roster, attribute) }),
    ...(tag && { addTags: tag }),
    ...(untag && { removeTags: untag }),
  };
}

async function readAttributes(roster: Roster, given: readonly [string, string][]) {
  const { data: definitions } = await roster.attributes.list();
  return Object.fromEntries(
    given.map(([key, text]) => {
      const definition = definitions.find((each) => each.key === key);
      if (definition === undefined) {
        const known = definitions.map((each) => each.key).join(', ');
        throw usageError(
          `The bot has no attribute "${key}". ${known === '' ? '' : `Its attributes are ${known}. `}To create it, run "roster attribute define ${key}".`,
        );
      }
      if (text === '') return [key, null];
      const read = readValueCell(definition.type, text);
      if ('fault' in read) throw usageError(`--attribute ${key}: the value ${read.fault}.`);
      return [key, read.value];
    }),
  );
}
