// Set-up, sign-in, one-time links, and the change of a password: answers and the session's cookie.
import type { AccountDeps } from '../account/account-deps.ts';
import type { Authentication, BrowserAction } from '../account/authentication.ts';
import { deviceTtlMs } from '../account/known-devices.ts';
import { csrfTokenOf, findSession, sessionTtlMs } from '../account/sessions.ts';
import { type Begun, prepareSignIn } from '../account/sign-in.ts';
import { toSessionAnswer, toTimestamp } from '../answers/answers.ts';
import type { Handlers } from '../http/operation-types.ts';
import { deviceCookieOf, sessionCookieOf } from '../http/session-cookie.ts';
import { contextAt } from '../store/write-context.ts';
import { type ActingCall, actionOf } from './action-of.ts';

type BrowserCall = ActingCall & {
  request: { headers: { cookie?: string | undefined; 'user-agent'?: string | undefined } };
};

export function signInHandlers(deps: AccountDeps, authentication: Authentication) {
  const cookie = sessionCookieOf(deps.publicUrl);
  const knownBy = deviceCookieOf(deps.publicUrl);
  const signIn = prepareSignIn(deps, authentication);

  const browserActionOf = (call: BrowserCall): BrowserAction => ({
    ...actionOf(call),
    deviceCookie: knownBy.read(call.request.headers.cookie),
    userAgent: call.request.headers['user-agent'],
  });

  /** Ends the session that the browser had: this answer replaces its cookie. */
  const endEarlier = async (cookies: string | undefined): Promise<void> => {
    const token = cookie.read(cookies);
    const earlier = token === undefined ? undefined : await findSession(deps, token);
    if (earlier !== undefined) await deps.store.endSession(earlier.hash, contextAt(deps.clock()));
  };

  const begunAnswer = async (call: BrowserCall, { member, organization, token, session, deviceCookie }: Begun) => {
    await endEarlier(call.request.headers.cookie);
    return {
      body: { data: toSessionAnswer({ member, organization, csrfToken: csrfTokenOf(session.hash), ...session }) },
      cookies: [cookie.begin(token, sessionTtlMs), knownBy.begin(deviceCookie, deviceTtlMs)],
    };
  };

  return {
    async readAccountState() {
      return { body: { data: { isSetUp: await deps.store.hasOwner() } } };
    },

    async setUpAccount(call) {
      return begunAnswer(call, await signIn.setUp(browserActionOf(call), call.body));
    },

    async signIn(call) {
      return begunAnswer(call, await signIn.signIn(browserActionOf(call), call.body));
    },

    readSession: ({ session }) => ({ body: { data: toSessionAnswer(session) } }),

    async changePassword(call) {
      return begunAnswer(call, await signIn.changePassword(browserActionOf(call), call.session, call.body));
    },

    async readLink({ body }) {
      const { kind, organizationName, email, expiresAtMs } = await signIn.findLink(body.token);
      return { body: { data: { kind, organizationName, email, expiresAt: toTimestamp(expiresAtMs) } } };
    },

    async acceptInvitation(call) {
      return begunAnswer(call, await signIn.acceptInvitation(browserActionOf(call), call.body));
    },

    async resetPassword(call) {
      return begunAnswer(call, await signIn.resetPassword(browserActionOf(call), call.body));
    },
  } satisfies Partial<Handlers>;
}
