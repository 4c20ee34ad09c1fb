// Decides who may call: checks a credential that the operation declares, finds the bot, counts against the limits.
import { timingSafeEqual } from 'node:crypto';
import { type Credential, contactTokenPattern, isAtLeast, type Operation, roleOf } from '@roster/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashCredential } from '../account/credentials.ts';
import type { FirstUses, LastSeen, LastUsed } from '../account/last-used.ts';
import { isOpenTo, requireOrganization } from '../account/organizations.ts';
import { RateLimit } from '../account/rate-limit.ts';
import { type NeededScope, neededScope, requirePermission, requireScope } from '../account/scopes.ts';
import { findSession, hasRecentPassword, type SignedIn } from '../account/sessions.ts';
import type { LiveSecret, TenantCache } from '../account/tenant-cache.ts';
import type { Deps } from '../deps.ts';
import { clientKey, isLoopback, isLoopbackHost } from '../network/addresses.ts';
import { chain, type MaybePromise } from '../store/maybe-promise.ts';
import type { Bot, Visitor } from '../store/store.ts';
import { type ApiError, noSuchBot, passwordRequired, roleNeeded, signedOut, unauthorized } from './api-error.ts';
import { requireConsole, requireCsrfToken } from './console-requests.ts';
import { crossOriginHeaders } from './cross-origin.ts';
import { requireWithinLimit } from './rate-limit.ts';
import { sessionCookieOf } from './session-cookie.ts';

/** Attempts with a wrong credential, per address. Only failures count, so a valid one is never refused for them. */
export const wrongCredentialsPerMinute = 600;
/** Calls of the widget, per address: an office of thousands behind one address stays below it. */
export const widgetCallsPerMinute = 6000;

/** Calls before sign-in, per address: guesses at passwords, codes and links, over all accounts. */
export const signInCallsPerMinute = 100;

/** What the credential of a request gives access to, for its handler. */
export interface Access {
  /** Whose check let the request in. */
  credential: Credential;
  bot?: Bot | undefined;
  visitor?: Visitor;
  session?: SignedIn;
  secret?: LiveSecret;
}

/** Who a request counts for. Empty for callers of no organization: the operator, and whoever is not known. */
export function organizationOf({ secret, session }: Access): string {
  return secret?.organizationId ?? session?.organization.id ?? '';
}

type Checks = {
  [Kind in Credential]: (
    request: FastifyRequest,
    reply: FastifyReply,
    operation: Operation,
    needed: NeededScope,
  ) => MaybePromise<Access & { credential: Kind }>;
};

export type AccessChecks = (
  operation: Operation,
) => (request: FastifyRequest, reply: FastifyReply) => MaybePromise<Access>;

/** The cache of bots and secrets, and the parts that note the use of credentials. */
interface UsedParts {
  tenantCache: TenantCache;
  lastSeen: LastSeen;
  lastUsed: LastUsed;
  firstUses: FirstUses;
}

/** `accepted` are the credentials of the listener: it ignores an operation's other credentials. */
export function prepareAccess(
  deps: Deps,
  accepted: readonly Credential[],
  { tenantCache, lastSeen, lastUsed, firstUses }: UsedParts,
): AccessChecks {
  const { clock, config, store } = deps;
  const cookie = sessionCookieOf(config.publicUrl);
  const wrongCredentials = new RateLimit('credentials', wrongCredentialsPerMinute);
  const widgetCalls = new RateLimit('widget', widgetCallsPerMinute);
  const signInCalls = new RateLimit('sign-in', signInCallsPerMinute);
  const organizationCalls =
    config.rateLimitPerMinute === undefined ? undefined : new RateLimit('organization', config.rateLimitPerMinute);
  /** A server that only this machine can reach shows its metrics to everyone on this machine, without a token. */
  const isLocalService =
    config.trustProxy === false && isLoopback(config.host) && isLoopbackHost(new URL(config.publicUrl).hostname);
  const metricsTokenHash = config.metricsToken === undefined ? undefined : hashCredential(config.metricsToken);

  const refuse = (request: FastifyRequest, error = unauthorized): ApiError => {
    return error(requireWithinLimit(wrongCredentials.take(clientKey(request), clock())));
  };

  const countCall = (request: FastifyRequest, reply: FastifyReply, organizationId: string): void => {
    // Access is checked once more after the body, and the request is then counted already.
    if (organizationCalls === undefined || request.access !== undefined) return;
    reply.headers(requireWithinLimit(organizationCalls.take(organizationId, clock())));
  };

  const findBot = (request: FastifyRequest): MaybePromise<Bot | undefined> => {
    const { botId } = request.params as { botId?: string };
    return botId === undefined ? undefined : tenantCache.findBot(botId);
  };

  /** What every call of the widget passes: the bot's origins, also for errors, and the limit of its address. */
  const admitWidget = async (request: FastifyRequest, reply: FastifyReply): Promise<Bot | undefined> => {
    const bot = await findBot(request);
    reply.headers(crossOriginHeaders(request, bot));
    reply.headers(requireWithinLimit(widgetCalls.take(clientKey(request), clock())));
    return bot;
  };

  const requireRecentPassword = (request: FastifyRequest, operation: Operation, session: SignedIn): void => {
    const { needsRecentPassword } = operation;
    // Whether a later page continues what began in time is the handler's to find out.
    const isLaterPage = Boolean((request.query as { after?: unknown }).after);
    if (!needsRecentPassword || (needsRecentPassword === 'unlessContinued' && isLaterPage)) return;
    if (!hasRecentPassword(session, clock())) throw passwordRequired();
  };

  const checks: Checks = {
    secret(request, reply, { permissionToInclude }, needed) {
      const token = bearerOf(request);
      const nowMs = clock();
      const found = token === undefined ? undefined : tenantCache.findLiveSecret(token, nowMs);
      return chain(found, (secret) => {
        if (secret === undefined) throw refuse(request);
        lastUsed.note(secret.id, nowMs);
        request.secretId = secret.id;
        countCall(request, reply, secret.organizationId);
        return chain(findBot(request), (bot) => {
          // A bot out of reach is answered like one that does not exist.
          if (hasBot(request) && !isReached(secret, bot)) throw noSuchBot();
          requireScope(secret, needed);
          if (permissionToInclude !== undefined && includes(request)) requirePermission(secret, permissionToInclude);
          return { credential: 'secret', bot, secret };
        });
      });
    },

    /** A page of another site can make a browser send the cookie, but not all of these together. */
    async session(request, reply, operation) {
      const { authorization, cookie: cookies } = request.headers;
      const token = authorization === undefined ? cookie.read(cookies) : undefined;
      const wasLetIn = request.access !== undefined;
      const session = token === undefined ? undefined : await findSession(deps, token, { wasLetIn });
      if (session === undefined) throw refuse(request, operation.permissions === undefined ? signedOut : unauthorized);
      countCall(request, reply, session.organization.id);
      if (operation.method !== 'GET') {
        requireConsole(request, config.publicUrl);
        requireCsrfToken(request, session.csrfToken);
      }
      const bot = await findBot(request);
      if (hasBot(request) && bot?.organizationId !== session.organization.id) throw noSuchBot();
      const { roleToInclude, settingForMembers } = operation;
      const needed = roleToInclude !== undefined && includes(request) ? roleToInclude : roleOf(operation);
      const isOpen = settingForMembers !== undefined && (await isOpenTo(session, settingForMembers, store));
      if (!isOpen && !isAtLeast(session.member.role, needed)) throw roleNeeded(needed);
      requireRecentPassword(request, operation, session);
      return { credential: 'session', bot, session };
    },

    signIn(request, reply, operation) {
      if (operation.method !== 'GET') {
        requireConsole(request, config.publicUrl);
        reply.headers(requireWithinLimit(signInCalls.take(clientKey(request), clock())));
      }
      return { credential: 'signIn' };
    },

    async contactToken(request, reply) {
      const bot = await admitWidget(request, reply);
      const token = bearerOf(request);
      if (bot === undefined || token === undefined || !contactTokenPattern.test(token)) throw refuse(request);
      const hash = hashCredential(token);
      const visitor = await store.findVisitor(bot.id, hash);
      if (visitor === undefined || clock() >= visitor.expiresAtMs) throw refuse(request);
      lastSeen.note(bot.id, hash, clock());
      firstUses.note(bot.id, 'visitorRecognized', clock());
      return { credential: 'contactToken', bot, visitor };
    },

    metrics(request) {
      const token = bearerOf(request);
      const isAllowed =
        metricsTokenHash === undefined
          ? isLocalService && isSameMachine(request)
          : token !== undefined && timingSafeEqual(hashCredential(token), metricsTokenHash);
      if (!isAllowed) throw refuse(request);
      return { credential: 'metrics' };
    },

    /** The permissions of the socket's file are the check. */
    async operator(request) {
      const { organizationId } = request.params as { organizationId?: string };
      if (organizationId !== undefined) await requireOrganization(store, organizationId);
      const bot = await findBot(request);
      if (hasBot(request) && bot?.organizationId !== organizationId) throw noSuchBot();
      return { credential: 'operator', bot };
    },

    async public(request, reply) {
      if (!hasBot(request)) return { credential: 'public' };
      const bot = await admitWidget(request, reply);
      if (bot === undefined) throw noSuchBot();
      return { credential: 'public', bot };
    },
  };

  return (operation) => {
    const credentials = operation.credentials.filter((credential) => accepted.includes(credential));
    const needed = neededScope(operation.permissions, operation.isForAllBots);
    return (request, reply) => checks[chooseCredential(credentials, request)](request, reply, operation, needed);
  };
}

/** A request with an `Authorization` header is judged by that header alone, and its cookies are not read. */
function chooseCredential(credentials: readonly Credential[], { headers }: FastifyRequest): Credential {
  const isBearer = headers.authorization !== undefined;
  const chosen = credentials.find((credential) => bearers.includes(credential) === isBearer) ?? credentials[0];
  if (chosen === undefined) throw new Error('the operation takes no credential of this listener');
  return chosen;
}

const bearers: readonly Credential[] = ['secret', 'contactToken', 'metrics'];

function includes({ query }: FastifyRequest): boolean {
  return (query as { include?: unknown }).include !== undefined;
}

function hasBot({ params }: FastifyRequest): boolean {
  return (params as { botId?: string }).botId !== undefined;
}

function isReached({ organizationId, botIds }: LiveSecret, bot: Bot | undefined): boolean {
  return bot?.organizationId === organizationId && (botIds === undefined || botIds.has(bot.id));
}

function bearerOf(request: FastifyRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/**
 * Judged by the connection itself. Behind a proxy on this machine every caller seems local, so headers that proxies add rule
 * a request out. So does a `Host` that is not this machine's own: a foreign page whose name leads here (DNS rebinding).
 */
function isSameMachine({ headers, raw }: FastifyRequest): boolean {
  const isLocal = isLoopback(raw.socket.remoteAddress ?? '');
  const isForwarded = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined);
  return isLocal && !isForwarded && isLoopbackHost(URL.parse(`http://${headers.host}`)?.hostname ?? '');
}
