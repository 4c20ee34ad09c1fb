// Who is signed in, and the connection that speaks for them. Below <SessionProvider> there is always somebody. The
// session is that of the cookie, which all tabs share: what one tab changes, the others are told of.
import type { Session } from '@roster/contract';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo } from 'react';
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

/** Says that the session has changed, and nothing of it. A tab does not hear itself. */
const otherTabs = new BroadcastChannel('roster session');

/** Null: nobody is signed in. */
async function readSession(signal: AbortSignal): Promise<Session | null> {
  try {
    return (await anonymous.call('readSession', {}, { signal })).data;
  } catch (error) {
    if (isSessionOver(error)) return null;
    throw error;
  }
}

const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ client, signal }) => {
    const session = await readSession(signal);
    const before = client.getQueryData<Session | null>(sessionKey);
    if (before && session && before.member.id !== session.member.id) {
      // Somebody else, found out behind a page that shows, and holds in its forms, what was the first one's.
      location.reload();
      return new Promise<never>(() => {});
    }
    forgetOthers(client, session);
    return session;
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export function useSessionQuery() {
  const queries = useQueryClient();
  useEffect(() => {
    const readAgain = () => queries.invalidateQueries({ queryKey: sessionKey });
    otherTabs.addEventListener('message', readAgain);
    return () => otherTabs.removeEventListener('message', readAgain);
  }, [queries]);
  return useQuery(sessionQuery);
}

/** For pages before the sign-in. */
export function useAnonymous(): Connection {
  return anonymous;
}

/** Replaces the session by one that was begun or ended here. */
export function useSessionChange() {
  const queries = useQueryClient();
  return (session: Session | null) => {
    forgetOthers(queries, session);
    queries.setQueryData(sessionKey, session);
    otherTabs.postMessage(null);
  };
}

/** Before a session takes the place of another: nothing that another member had read may stay. */
function forgetOthers(queries: QueryClient, session: Session | null): void {
  const before = queries.getQueryData<Session | null>(sessionKey);
  if (before === undefined || before?.member.id === session?.member.id) return;
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient();
  const signedIn = useMemo(() => {
    const renew = async () => {
      const now = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      // What was begun in one member's name, before the sign-in of another, is not done in the other's.
      return now?.member.id === session.member.id ? now.csrfToken : undefined;
    };
    const connection = new Connection({ csrfToken: session.csrfToken, renew });
    return { session, connection, isOwner: session.member.role === 'owner' };
  }, [session, queries]);
  return <SignedInContext value={signedIn}>{children}</SignedInContext>;
}

export function useSignedIn(): SignedIn {
  const signedIn = use(SignedInContext);
  if (signedIn === undefined) throw new Error('nobody is signed in here');
  return signedIn;
}
