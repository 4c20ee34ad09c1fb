// Who did what an event tells. Events have ids alone: the names are those of the organization's members and secrets.
import type { EventActor } from '@roster/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { keys, membersQuery, secretsQuery } from '../api/queries.ts';
import { actorOf } from '../audit/describe-entry.ts';
import { useSignedIn } from '../session.tsx';

/** `shown`: the actors that the page shows, the latest first. */
export function useActorNames(shown: readonly EventActor[]): (actor: EventActor) => string {
  const { connection } = useSignedIn();
  const queries = useQueryClient();
  const members = useQuery(membersQuery(connection));
  const secrets = useQuery(secretsQuery(connection));
  const names = useMemo(
    () =>
      new Map([
        ...(members.data ?? []).map(({ id, name, email }) => [id, name || email] as const),
        ...(secrets.data ?? []).map(({ id, name }) => [id, name] as const),
      ]),
    [members.data, secrets.data],
  );
  // Somebody who is new since the lists were read.
  const isRead = members.data !== undefined && secrets.data !== undefined;
  const unknown = isRead ? shown.find(({ id }) => id !== null && !names.has(id))?.id : undefined;
  useEffect(() => {
    if (unknown === undefined) return;
    for (const queryKey of [keys.members, keys.secrets]) queries.invalidateQueries({ queryKey });
  }, [unknown, queries]);
  return ({ kind, id }) => {
    if (kind === 'visitor') return 'The visitor';
    if (kind === 'operator') return actorOf({ actor: { kind, name: '' } }) ?? '';
    const name = id === null ? undefined : names.get(id);
    if (name !== undefined) return actorOf({ actor: { kind, name } }) ?? '';
    if (members.isPending || secrets.isPending) return '…';
    return kind === 'secret' ? 'A secret' : 'A former member';
  };
}
