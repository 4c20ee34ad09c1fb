// The session: who is signed in, and the connection with their credential. Below <SessionProvider> a member is always
// signed in. All tabs share the session cookie, so a tab that changes the session notifies the others.
import type { Session } from '@roster/contract';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, lazy, type ReactNode, Suspense, use, useEffect, useMemo, useState } from 'react';
import { Connection } from './api/connection.ts';
import { isSessionOver } from './api/failure.ts';
import { forgetState, keepState, restoreState, stopKeepingState } from './kept-state.ts';
import { claimTasks, forgetTasks } from './tasks/tasks.ts';
import { forgetUnsaved } from './unsaved.ts';

const PasswordPrompt = lazy(() => import('./components/password-prompt.tsx'));

export const sessionKey = ['session'];

interface SignedIn {
  session: Session;
  connection: Connection;
  isOwner: boolean;
  /** False for viewers. */
  canWrite: boolean;
}

const SignedInContext = createContext<SignedIn | undefined>(undefined);

const anonymous = new Connection();

/** Carries an empty message when the session has changed. A tab does not receive its own messages. */
const otherTabs = new BroadcastChannel('roster session');

/** Null when the browser is signed out. */
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
      // Another member has signed in, in another tab. A reload clears the pages and forms of the first one.
      forgetUnsaved();
      forgetTasks();
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

export function useIsSignedIn(): boolean {
  return Boolean(useQuery(sessionQuery).data);
}

/** For pages without a session. */
export function useAnonymous(): Connection {
  return anonymous;
}

/** Replaces the session after this tab has signed in or out. */
export function useSessionChange() {
  const queries = useQueryClient();
  return (session: Session | null) => {
    forgetOthers(queries, session);
    if (session === null) {
      forgetState();
      forgetTasks();
    }
    queries.setQueryData(sessionKey, session);
    otherTabs.postMessage(null);
  };
}

/** Shows the sign-in page. The route stays, and what was typed, so that the member is back where they were. */
export function endSession(queries: QueryClient): void {
  const session = queries.getQueryData<Session | null>(sessionKey);
  if (!session) return;
  keepState(session.member.id);
  queries.setQueryData(sessionKey, null);
}

/** Called before a session is replaced: nothing that another member has read or typed may stay in memory. */
function forgetOthers(queries: QueryClient, session: Session | null): void {
  const before = queries.getQueryData<Session | null>(sessionKey);
  if (session !== null) {
    restoreState(session.member.id);
    claimTasks(session.member.id);
  } else if (before) keepState(before.member.id);
  if (before === undefined || before?.member.id === session?.member.id) return;
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
}

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient();
  /** Requests that wait for the password; they share one dialog. */
  const [waiting, setWaiting] = useState<readonly ((isConfirmed: boolean) => void)[]>([]);
  const signedIn = useMemo(() => {
    const renew = async () => {
      const now = await queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
      // A request that one member started must not be sent with the credential of another.
      return now?.member.id === session.member.id ? now.csrfToken : undefined;
    };
    const confirmPassword = () => new Promise<boolean>((resolve) => setWaiting((before) => [...before, resolve]));
    const connection = new Connection({ csrfToken: session.csrfToken, renew, confirmPassword });
    const { role } = session.member;
    return { session, connection, isOwner: role === 'owner', canWrite: role !== 'viewer' };
  }, [session, queries]);
  useEffect(stopKeepingState, []);
  const answer = (isConfirmed: boolean) => {
    for (const resolve of waiting) resolve(isConfirmed);
    // Others may have begun to wait since this dialog was shown.
    setWaiting((now) => now.filter((resolve) => !waiting.includes(resolve)));
  };
  return (
    <SignedInContext value={signedIn}>
      {children}
      {waiting.length > 0 && (
        <Suspense>
          <PasswordPrompt connection={signedIn.connection} email={session.member.email} onClose={answer} />
        </Suspense>
      )}
    </SignedInContext>
  );
}

export function useSignedIn(): SignedIn {
  const signedIn = use(SignedInContext);
  if (signedIn === undefined) throw new Error('useSignedIn needs a SessionProvider');
  return signedIn;
}
