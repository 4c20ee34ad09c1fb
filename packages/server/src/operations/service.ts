// What the service reports about itself: health, readiness, metrics, its API and the reference page.
import { buildOpenApi, operations } from '@roster/contract';
import type { AccountDeps } from '../account/account-deps.ts';
import type { FirstUses } from '../account/last-used.ts';
import { unavailable } from '../http/api-error.ts';
import { type Forms, fileAnswer, formsOf } from '../http/file-answer.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Handlers } from '../http/operation-types.ts';
import { noSuchPath } from '../http/problem.ts';
import { DiskFullError } from '../store/store.ts';
import { version } from '../version.ts';
import { referencePage, referencePageHeaders, referenceScript } from './reference-page.ts';
import type { WaitingReaders } from './waiting-readers.ts';

/** How long an answer about readiness is reused: the operation is public, and each check is a synced write. */
const readinessMs = 1000;

/** How long a copy of `security.txt` is to be believed. Each answer says so anew. */
const securityTextMs = 30 * 86_400_000;

export interface ServiceDeps extends AccountDeps {
  firstUses: FirstUses;
  readers: WaitingReaders;
  metrics: Pick<Metrics, 'render'>;
  securityContact: string | undefined;
  /** Aborted when load balancers are to send no more requests. */
  draining: AbortSignal;
  /** Aborted when the server begins to stop. */
  stopping: AbortSignal;
}

export function serviceHandlers({ store, clock, publicUrl, metrics, securityContact, draining }: ServiceDeps) {
  let description: { openApi: Forms; page: Forms } | undefined;
  /** Made once: half a megabyte that anybody may ask for. */
  const describe = () => {
    if (description === undefined) {
      const openApi = JSON.stringify(buildOpenApi({ version, serverUrl: publicUrl }));
      description = { openApi: formsOf(openApi), page: formsOf(referencePage(openApi)) };
    }
    return description;
  };
  let ping: { promise: Promise<void>; endedAtMs?: number } | undefined;
  const isCurrent = ({ endedAtMs }: { endedAtMs?: number }) =>
    endedAtMs === undefined || Math.abs(clock() - endedAtMs) < readinessMs;

  return {
    checkHealth: () => ({ body: { status: 'ok' } }),

    async checkReadiness() {
      if (draining.aborted) throw unavailable('the server is stopping');
      if (ping === undefined || !isCurrent(ping)) {
        const begun: NonNullable<typeof ping> = {
          promise: store.ping().finally(() => {
            begun.endedAtMs = clock();
          }),
        };
        ping = begun;
      }
      const full = await ping.promise.catch((error) => {
        if (error instanceof DiskFullError) return error;
        throw error;
      });
      // Reads go on, so a load balancer must not turn them away.
      return { body: { status: 'ready', ...(full !== undefined && { mode: 'read-only' }) } };
    },

    async readMetrics() {
      return {
        body: await metrics.render(),
        headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
      };
    },

    readSecurityText() {
      if (securityContact === undefined) throw noSuchPath();
      const lines = [
        `Contact: ${securityContact}`,
        `Expires: ${new Date(clock() + securityTextMs).toISOString()}`,
        // A web address in this file must be https (RFC 9116, 2.5.2).
        ...(publicUrl.startsWith('https:') ? [`Canonical: ${publicUrl}${operations.readSecurityText.path}`] : []),
      ];
      return { body: `${lines.join('\n')}\n`, headers: { 'content-type': 'text/plain; charset=utf-8' } };
    },

    readOpenApi: ({ request }) =>
      fileAnswer(request, describe().openApi, {
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'no-cache',
      }),

    readReference: ({ request }) => fileAnswer(request, describe().page, referencePageHeaders),

    readReferenceScript: ({ request }) => referenceScript(request),
  } satisfies Partial<Handlers>;
}
