// Options that the commands for events and webhooks share.
import type { EventType } from '@roster/client';
import { eventPositionPattern } from '@roster/contract/event-position';
import { eventTypes } from '@roster/contract/names';
import { InvalidArgumentError, Option } from 'commander';

export function typeOption(description: string): Option {
  // A parser of one's own replaces that of the choices, which would keep only the last.
  return new Option('--type <type>', description).choices([...eventTypes]).argParser(collectType);
}

function collectType(text: string, before: readonly EventType[] = []): EventType[] {
  const type = eventTypes.find((known) => known === text);
  if (type === undefined) throw new InvalidArgumentError(`Allowed choices are ${eventTypes.join(', ')}.`);
  return [...before, type];
}

export function readPosition(text: string): string {
  if (eventPositionPattern.test(text)) return text;
  throw new InvalidArgumentError('Pass a position that "roster events follow" or the API returned.');
}
