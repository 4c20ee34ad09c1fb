// What the service reports about itself: health, readiness, metrics, its API and the reference page.
import { buildOpenApi } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import { unavailable } from '../http/api-error.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Handlers } from '../http/operation-types.ts';
import { version } from '../version.ts';
import { referencePage, referenceScript } from './reference-page.ts';

export interface ServiceDeps extends AccountDeps {
  metrics: Pick<Metrics, 'render'>;
  /** Aborted when the server begins to stop. */
  stopping: AbortSignal;
}

export function serviceHandlers({ store, publicUrl, metrics, stopping }: ServiceDeps) {
  let openApi: ReturnType<typeof buildOpenApi> | undefined;
  let ping: Promise<void> | undefined;

  return {
    checkHealth: () => ({ body: { status: 'ok' } }),

    async checkReadiness() {
      if (stopping.aborted) throw unavailable('the server is stopping');
      // The operation is public and each ping is a synced write, so concurrent calls share one.
      ping ??= store.ping().finally(() => {
        ping = undefined;
      });
      await ping;
      return { body: { status: 'ready' } };
    },

    async readMetrics() {
      return {
        body: await metrics.render(),
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      };
    },

    readOpenApi() {
      openApi ??= buildOpenApi({ version, serverUrl: publicUrl });
      return { body: openApi as { openapi: string } };
    },

    readReference: () => referencePage,

    readReferenceScript: ({ request }) => referenceScript(request),
  } satisfies Partial<Handlers>;
}
