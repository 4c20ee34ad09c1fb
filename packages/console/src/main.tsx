// The entry point: the providers around the application, and the handling of requests that fail because the session is
// over.
import 'virtual:theme.css';
import './console.css';
import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { isSessionOver } from './api/failure.ts';
import { App } from './app.tsx';
import { NoticeProvider } from './components/notices.tsx';
import { sessionKey } from './session.tsx';
import { theme } from './theme.ts';

/** Shows the sign-in page. The route stays, so that the member is back on the same page after signing in. */
function endSession(error: unknown): void {
  if (isSessionOver(error) && queries.getQueryData(sessionKey)) queries.setQueryData(sessionKey, null);
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: endSession }),
  mutationCache: new MutationCache({ onError: endSession }),
  defaultOptions: {
    // The transport retries itself, and knows what is safe to retry. Without a network, requests fail instead of
    // pausing.
    queries: { retry: false, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});

const root = document.getElementById('console');
if (root === null) throw new Error('the page has no element with the id "console"');
createRoot(root).render(
  // Variables and classes come from the style sheet: the content security policy forbids inline styles.
  <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
    <QueryClientProvider client={queries}>
      <NoticeProvider>
        <App />
      </NoticeProvider>
    </QueryClientProvider>
  </MantineProvider>,
);
