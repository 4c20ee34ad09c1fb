// The entry: providers around the application, and what happens to every request that fails because the session is over.
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

/** The sign-in page then takes the place of the page, whose address stays: one comes back to where one was. */
function endSession(error: unknown): void {
  if (isSessionOver(error) && queries.getQueryData(sessionKey)) queries.setQueryData(sessionKey, null);
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: endSession }),
  mutationCache: new MutationCache({ onError: endSession }),
  defaultOptions: {
    // The transport tries again itself, and knows what may be tried twice. Without a network it fails, and says so.
    queries: { retry: false, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});

const root = document.getElementById('console');
if (root === null) throw new Error('the page has no place for the console');
createRoot(root).render(
  // Variables and classes come from the style sheet: the policy allows no inline style.
  <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
    <QueryClientProvider client={queries}>
      <NoticeProvider>
        <App />
      </NoticeProvider>
    </QueryClientProvider>
  </MantineProvider>,
);
