// Decides what is shown: a page for signed-out visitors, or the shell with the page of the route.
import { Suspense } from 'react';
import { Banner } from './components/banner.tsx';
import { ErrorBoundary } from './components/error-boundary.tsx';
import { FailureNote } from './components/failure-note.tsx';
import { LeaveGuard } from './components/leave-guard.tsx';
import { LoadingSkeleton } from './components/loaded.tsx';
import { Shell } from './components/shell.tsx';
import { SignedOutLayout } from './components/signed-out-layout.tsx';
import { findPage, LinkPage, SetUpPage, SignInPage } from './pages.tsx';
import { useRoute } from './router.ts';
import { SessionProvider, useSessionQuery } from './session.tsx';

export function App() {
  return (
    <>
      <Banner />
      <LeaveGuard />
      <ErrorBoundary>
        <Suspense fallback={<SignedOutLayout title="" />}>
          <CurrentPage />
        </Suspense>
      </ErrorBoundary>
    </>
  );
}

function CurrentPage() {
  const route = useRoute();
  const session = useSessionQuery();
  const [first, token = ''] = route.segments;
  // One-time links work with or without a session, because they create a new one.
  if (first === 'setup') return <SetUpPage code={token} />;
  if (first === 'link') return <LinkPage token={token} />;
  if (session.data === null) return <SignInPage />;
  if (session.data === undefined) {
    return session.isError ? (
      <SignedOutLayout title="Roster">
        <FailureNote error={session.error} onRetry={() => session.refetch()} />
      </SignedOutLayout>
    ) : (
      <SignedOutLayout title="" />
    );
  }
  const { page, key } = findPage(route);
  return (
    <SessionProvider session={session.data}>
      <Shell route={route}>
        <Suspense key={key} fallback={<LoadingSkeleton lines={6} />}>
          {page}
        </Suspense>
      </Shell>
    </SessionProvider>
  );
}
