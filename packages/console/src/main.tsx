// The entry point: the providers around the application, and the handling of requests that fail because the session is
// over.
import 'virtual:theme.css';
import './console.css';
import { MantineProvider } from '@mantine/core';
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { isOutage, isSessionOver } from './api/failure.ts';
import { keys } from './api/queries.ts';
import { App } from './app.tsx';
import { dismissNotices, Notices } from './components/notices.tsx';
import { endSession } from './session.tsx';
import { theme } from './theme.ts';

/** How often a page that an outage has kept empty or out of date looks for the server. */
const outagePauseMs = 4000;

const onError = (error: unknown) => {
  if (isSessionOver(error)) endSession(queries);
};

const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError(error) {
      onError(error);
      // The server's disk may be full.
      if (isOutage(error)) queries.invalidateQueries({ queryKey: keys.readOnly });
    },
    // The confirmation of an earlier action would stand beside the error of this one.
    onMutate: dismissNotices,
  }),
  defaultOptions: {
    // The transport retries itself, and knows what is safe to retry. Without a network, requests fail instead of
    // pausing.
    queries: {
      retry: false,
      networkMode: 'always',
      refetchOnReconnect: true,
      refetchInterval: ({ state }) => isOutage(state.error) && outagePauseMs,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

const root = document.getElementById('console');
if (root === null) throw new Error('the page has no element with the id "console"');
createRoot(root).render(
  // Variables and classes come from the style sheet: the content security policy forbids inline styles.
  <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
    <QueryClientProvider client={queries}>
      <App />
      <Notices />
    </QueryClientProvider>
  </MantineProvider>,
);
