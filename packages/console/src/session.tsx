// Who is signed in, and the connection that speaks for them. Below <SessionGate> there is always somebody.
import type { Session } from '@roster/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo } from 'react';
import { Connection } from './api/connection.ts';
import { isSessionOver } from './api/failure.ts';

export const sessionKey = ['session'];

interface SignedIn {
  session: Session;
  connection: Connection;
  isOwner: boolean;
}

const SignedInContext = createContext<SignedIn | undefined>(undefined);

const anonymous = new Connection();

/** Null: nobody is signed in. */
export async function readSession(): Promise<Session | null> {
  try {
    return (await anonymous.call('readSession', {})).data;
  } catch (error) {
    if (isSessionOver(error)) return null;
    throw error;
  }
}

export function useSessionQuery() {
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: Number.POSITIVE_INFINITY });
}

/** For pages before the sign-in. */
export function useAnonymous(): Connection {
  return anonymous;
}

/** Replaces the session, and forgets everything that another one had read. */
export function useSessionChange() {
  const queries = useQueryClient();
  return (session: Session | null) => {
    const before = queries.getQueryData<Session | null>(sessionKey);
    const isSameMember = before?.member.id === session?.member.id;
    if (!isSameMember) queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    queries.setQueryData(sessionKey, session);
  };
}

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const signedIn = useMemo(
    () => ({ session, connection: new Connection(session), isOwner: session.member.role === 'owner' }),
    [session],
  );
  return <SignedInContext value={signedIn}>{children}</SignedInContext>;
}

export function useSignedIn(): SignedIn {
  const signedIn = use(SignedInContext);
  if (signedIn === undefined) throw new Error('nobody is signed in here');
  return signedIn;
}
