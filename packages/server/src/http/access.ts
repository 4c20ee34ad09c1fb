// Decides who may call: finds the bot, checks the credential that the operation declares, counts against the limits.
import { timingSafeEqual } from 'node:crypto';
import { type Credential, contactTokenPattern, type Operation } from '@roster/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashCredential } from '../credentials.ts';
import type { Deps } from '../deps.ts';
import type { Directory } from '../directory.ts';
import { andThen, type Eventually } from '../eventually.ts';
import type { LastSeen } from '../last-seen.ts';
import type { Bot, Visitor } from '../store/store.ts';
import { type ApiError, noSuchBot, unauthorized } from './api-error.ts';
import { crossOriginHeaders } from './cross-origin.ts';
import { addressKey, RateLimit } from './rate-limit.ts';

/** Attempts with a wrong credential, per address. Only failures count, so a valid one is never refused for them. */
const wrongCredentialsPerMinute = 600;
/** Calls of the widget, per address: an office of thousands behind one address stays below it. */
const widgetCallsPerMinute = 6000;

/** What a request was found to be allowed, for its handler. */
export interface Access {
  bot: Bot | undefined;
  visitor: Visitor | undefined;
}

type Check = (request: FastifyRequest, reply: FastifyReply) => Eventually<Access>;

export type CheckAccess = (operation: Operation, ...rest: Parameters<Check>) => Eventually<Access>;

export function prepareAccess(deps: Deps, directory: Directory, lastSeen: LastSeen): CheckAccess {
  const { clock, config, store } = deps;
  const wrongCredentials = new RateLimit('credentials', wrongCredentialsPerMinute);
  const widgetCalls = new RateLimit('widget', widgetCallsPerMinute);
  const organizationCalls =
    config.rateLimitPerMinute === undefined ? undefined : new RateLimit('organization', config.rateLimitPerMinute);
  const metricsTokenHash = config.metricsToken === undefined ? undefined : hashCredential(config.metricsToken);

  const refuse = (request: FastifyRequest): ApiError => {
    return unauthorized(wrongCredentials.take(addressKey(request.ip), clock()));
  };

  const findBot = (request: FastifyRequest): Eventually<Bot | undefined> => {
    const { botId } = request.params as { botId?: string };
    return botId === undefined ? undefined : directory.findBot(botId);
  };

  /** What every call of the widget passes: the bot's origins, also for errors, and the limit of its address. */
  const admitWidget = async (request: FastifyRequest, reply: FastifyReply): Promise<Bot | undefined> => {
    const bot = await findBot(request);
    reply.headers(crossOriginHeaders(request, bot));
    reply.headers(widgetCalls.take(addressKey(request.ip), clock()));
    return bot;
  };

  const checks: Record<Credential, Check> = {
    organization(request, reply) {
      const token = bearerOf(request);
      const found = token === undefined ? undefined : directory.findLiveSecret(token, clock());
      return andThen(found, (secret) => {
        if (secret === undefined) throw refuse(request);
        if (organizationCalls !== undefined) reply.headers(organizationCalls.take(secret.organizationId, clock()));
        return andThen(findBot(request), (bot) => {
          // Another organization's bot is no bot at all.
          if (bot?.organizationId !== secret.organizationId) throw noSuchBot();
          return { bot, visitor: undefined };
        });
      });
    },

    async contact(request, reply) {
      const bot = await admitWidget(request, reply);
      const token = bearerOf(request);
      if (bot === undefined || token === undefined || !contactTokenPattern.test(token)) throw refuse(request);
      const hash = hashCredential(token);
      const visitor = await store.findVisitor(bot.id, hash);
      if (visitor === undefined || clock() >= visitor.expiresAtMs) throw refuse(request);
      lastSeen.note(bot.id, hash, clock());
      return { bot, visitor };
    },

    operator(request) {
      const token = bearerOf(request);
      const isAllowed =
        metricsTokenHash === undefined
          ? config.trustProxy === false && isSameMachine(request)
          : token !== undefined && timingSafeEqual(hashCredential(token), metricsTokenHash);
      if (!isAllowed) throw refuse(request);
      return { bot: undefined, visitor: undefined };
    },

    async public(request, reply) {
      const { botId } = request.params as { botId?: string };
      if (botId === undefined) return { bot: undefined, visitor: undefined };
      const bot = await admitWidget(request, reply);
      if (bot === undefined) throw noSuchBot();
      return { bot, visitor: undefined };
    },
  };

  return (operation, request, reply) => checks[operation.credential](request, reply);
}

function bearerOf(request: FastifyRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

/** By the connection itself. A proxy on this machine would make everybody look local, so its mark rules it out. */
function isSameMachine(request: FastifyRequest): boolean {
  const { remoteAddress } = request.raw.socket;
  const isLoopback = remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress ?? '');
  const { headers } = request;
  const isForwarded = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'].some((name) => headers[name] !== undefined);
  return isLoopback && !isForwarded;
}
