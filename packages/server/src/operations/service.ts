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

export function serviceRoutes(deps: Pick<Deps, 'store' | 'config'>, metrics: Metrics, isStopping: () => boolean) {
  const { store, config } = deps;
  const openApi = buildOpenApi({ version, serverUrl: config.publicUrl });

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

  const readOpenApi: Handler<Operations['readOpenApi']> = () => ({ body: openApi as { openapi: string } });

  const readReference: Handler<Operations['readReference']> = () => referencePage;

  const readReferenceScript: Handler<Operations['readReferenceScript']> = ({ request }) => {
    return referenceScript(acceptsGzip(request.headers['accept-encoding']));
  };

  return { checkHealth, checkReadiness, readMetrics, readOpenApi, readReference, readReferenceScript };
}
