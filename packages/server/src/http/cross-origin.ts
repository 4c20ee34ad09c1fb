// Which pages of other origins may read the widget's operations: those that the bot's settings allow. Never with
// cookies, and never for an organization's operations.
import type { Operation } from '@roster/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TenantCache } from '../account/tenant-cache.ts';
import type { Bot } from '../store/store.ts';

const preflightHeaders = {
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': 'Authorization',
  // Chromium's upper bound: one preflight in two hours.
  'access-control-max-age': '7200',
};

/** A bot that does not exist allows any origin, so that the page can read the error. */
export function isAllowedOrigin(bot: Bot | undefined, origin: string): boolean {
  const allowed = bot?.allowedOrigins ?? [];
  return allowed.length === 0 || allowed.includes(origin);
}

export function crossOriginHeaders(request: FastifyRequest, bot: Bot | undefined): Record<string, string> {
  const { origin } = request.headers;
  if (origin === undefined || !isAllowedOrigin(bot, origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'Retry-After, RateLimit, X-Request-Id',
  };
}

/** Answers browsers that ask whether they may send a request with a contact token. */
export function mountPreflights(
  http: FastifyInstance,
  operations: readonly Operation[],
  tenantCache: TenantCache,
): void {
  for (const operation of operations.filter(({ isCrossOrigin }) => isCrossOrigin)) {
    http.options(
      operation.path.replace('{botId}', ':botId'),
      { config: { isPreflight: true } },
      async (request, reply) => {
        const { botId } = request.params as { botId: string };
        const bot = await tenantCache.findBot(botId);
        // The path may have other methods, which only servers of organizations may call.
        const isForUs = request.headers['access-control-request-method'] === operation.method;
        const headers = isForUs ? crossOriginHeaders(request, bot) : { vary: 'Origin' };
        reply.code(204).headers(headers);
        if ('access-control-allow-origin' in headers) reply.headers(preflightHeaders);
        return reply.send();
      },
    );
  }
}
