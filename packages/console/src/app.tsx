// Which page is shown: those before the sign-in, or the shell with the page of the place.
import { Suspense } from 'react';
import { ConnectionBanner } from './components/connection-banner.tsx';
import { CrashGuard } from './components/crash-guard.tsx';
import { FailureNote } from './components/failure-note.tsx';
import { Gate } from './components/gate.tsx';
import { Waiting } from './components/loaded.tsx';
import { Shell } from './components/shell.tsx';
import { findPage, LinkPage, SetUpPage, SignInPage } from './pages.tsx';
import { usePlace } from './router.ts';
import { SessionProvider, useSessionQuery } from './session.tsx';

export function App() {
  return (
    <>
      <ConnectionBanner />
      <CrashGuard>
        <Suspense fallback={<Gate title="" />}>
          <CurrentPage />
        </Suspense>
      </CrashGuard>
    </>
  );
}

function CurrentPage() {
  const place = usePlace();
  const session = useSessionQuery();
  const [first, token = ''] = place.segments;
  // One-time links work whoever is signed in: they make a session of their own.
  if (first === 'setup') return <SetUpPage code={token} />;
  if (first === 'link') return <LinkPage token={token} />;
  if (session.data === null) return <SignInPage />;
  if (session.data === undefined) {
    return session.isError ? (
      <Gate title="Roster">
        <FailureNote error={session.error} onRetry={() => session.refetch()} />
      </Gate>
    ) : (
      <Gate title="" />
    );
  }
  const { page, key } = findPage(place);
  return (
    <SessionProvider session={session.data}>
      <Shell place={place}>
        <Suspense key={key} fallback={<Waiting lines={6} />}>
          {page}
        </Suspense>
      </Shell>
    </SessionProvider>
  );
}
