// What the service tells about itself: alive, ready, its metrics, its API and the reference page.
import { buildOpenApi, type operations } from '@roster/contract';
import type { Deps } from '../deps.ts';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { unavailable } from '../http/api-error.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Handler } from '../http/operation-types.ts';
import { version } from '../version.ts';
import { referencePage, referenceScript } from './reference-page.ts';

type Operations = typeof operations;

export interface ServiceDeps extends Pick<Deps, 'store'> {
  publicUrl: string;
  metrics: Pick<Metrics, 'render'>;
  isStopping: () => boolean;
}

export function serviceHandlers({ store, publicUrl, metrics, isStopping }: ServiceDeps) {
  let openApi: ReturnType<typeof buildOpenApi> | undefined;

  const checkHealth: Handler<Operations['checkHealth']> = () => ({ body: { status: 'ok' } });

  // Anybody may ask, and each ping is a synced write: those who ask at the same time share one.
  let ping: Promise<void> | undefined;
  const checkReadiness: Handler<Operations['checkReadiness']> = async () => {
    if (isStopping()) throw unavailable('the server is stopping');
    ping ??= store.ping().finally(() => {
      ping = undefined;
    });
    await ping;
    return { body: { status: 'ready' } };
  };

  const readMetrics: Handler<Operations['readMetrics']> = async () => ({
    body: await metrics.render(),
    headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
  });

  const readOpenApi: Handler<Operations['readOpenApi']> = () => {
    openApi ??= buildOpenApi({ version, serverUrl: publicUrl });
    return { body: openApi as { openapi: string } };
  };

  const readReference: Handler<Operations['readReference']> = () => referencePage;

  const readReferenceScript: Handler<Operations['readReferenceScript']> = ({ request }) => {
    return referenceScript(acceptsGzip(request.headers['accept-encoding']));
  };

  return { checkHealth, checkReadiness, readMetrics, readOpenApi, readReference, readReferenceScript };
}
