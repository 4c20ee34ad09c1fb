// The application as one list: what every request passes, in order, and then every operation, in order.
import { randomBytes } from 'node:crypto';
import { type Operation, operations } from '@roster/contract';
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { prepareAudit } from './account/audit.ts';
import { LastUsed } from './account/last-used.ts';
import { Passwords } from './account/passwords.ts';
import { TenantCache } from './account/tenant-cache.ts';
import { makeIdSource } from './contacts/ids.ts';
import { LastSeen } from './contacts/last-seen.ts';
import type { Deps } from './deps.ts';
import { prepareAccess } from './http/access.ts';
import { BodyReader } from './http/body.ts';
import { mountPreflights } from './http/cross-origin.ts';
import { prepareMetrics } from './http/metrics.ts';
import { type Mounting, mount } from './http/mount.ts';
import { handleProblems, operationOf } from './http/problem.ts';
import { parseQueryString } from './http/query-string.ts';
import { serverOptions } from './http/server-options.ts';
import { Traffic } from './http/traffic.ts';
import type { AccountDeps } from './operations/account-deps.ts';
import { auditRoutes } from './operations/audit.ts';
import { botRoutes } from './operations/bots.ts';
import { consoleRoutes } from './operations/console.ts';
import { authRoutes } from './operations/contact-tokens.ts';
import { contactRoutes } from './operations/contacts.ts';
import { memberContactRoutes } from './operations/member-contacts.ts';
import { memberRoutes } from './operations/members.ts';
import { secretRoutes } from './operations/secrets.ts';
import { serviceRoutes } from './operations/service.ts';
import { signInRoutes } from './operations/sign-in.ts';
import { widgetRoutes } from './operations/widget.ts';

export interface App {
  http: FastifyInstance;
  tenantCache: TenantCache;
  /** Writes what is gathered in memory. Never rejects. */
  flush(): Promise<void>;
  /** From now on new requests get 503, and connections are closed as their answers go out. */
  beginStop(): void;
}

const allOperations: readonly Operation[] = Object.values(operations);

export function buildApp(deps: Deps): App {
  const { config, logger, store } = deps;
  const http: FastifyInstance = fastify({
    ...serverOptions(deps, requestIdSource()),
    routerOptions: { maxParamLength: 512, querystringParser: parseQueryString },
  });
  const tenantCache = new TenantCache(store);
  const lastSeen = new LastSeen({ store, logger });
  const lastUsed = new LastUsed({ store, logger });
  const record = prepareAudit(store, deps.clock);
  const traffic = new Traffic();
  const metrics = prepareMetrics(deps, () => traffic.requestsInFlight);
  const bodies = new BodyReader(config.bodyLimitBytes);

  // Deny by default: a route that no operation declares, or an operation without a credential, does not start.
  http.addHook('onRoute', ({ config, url }) => {
    if (config?.operation?.credential === undefined && config?.isPreflight !== true) {
      throw new Error(`The route ${url} declares no credential.`);
    }
  });
  traffic.watch(http, deps, metrics);
  handleProblems(http, { operations: allOperations, logger, isStrict: deps.isStrict });
  // One parser for every type: the operation says which it takes, and most take none. Fastify would still refuse a
  // malformed type, also where bodies are ignored.
  http.addHook('onRequest', (request, _reply, next) => {
    const { headers } = request.raw;
    if (headers['content-type'] !== undefined && operationOf(request)?.body === undefined) {
      headers['content-type'] = 'application/octet-stream';
    }
    next();
  });
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('*', async (request: FastifyRequest) => {
    const body = operationOf(request)?.body;
    return body === undefined ? undefined : bodies.read(request.raw, body);
  });

  const checkAccess = prepareAccess(deps, { tenantCache, lastSeen, lastUsed });
  const mounting: Mounting = { http, isStrict: deps.isStrict, checkAccess };

  const contacts = contactRoutes(deps);
  mount(mounting, operations.createContact, contacts.createContact);
  mount(mounting, operations.upsertContacts, contacts.upsertContacts, { validatesBody: true });
  mount(mounting, operations.searchContacts, contacts.searchContacts);
  mount(mounting, operations.listContacts, contacts.searchContacts);
  mount(mounting, operations.retrieveContact, contacts.retrieveContact);
  mount(mounting, operations.updateContact, contacts.updateContact);
  mount(mounting, operations.deleteContact, contacts.deleteContact);
  mount(mounting, operations.exportContacts, contacts.exportContacts);

  const auth = authRoutes(deps);
  mount(mounting, operations.authenticateContact, auth.authenticateContact);
  mount(mounting, operations.tokenizeContact, auth.tokenizeContact);
  mount(mounting, operations.tokenizeContactByPost, auth.tokenizeContact);
  mount(mounting, operations.revokeContactToken, auth.revokeContactToken);
  mount(mounting, operations.identifyVisitor, auth.identifyVisitor);

  const widget = widgetRoutes(config);
  mount(mounting, operations.retrieveWidget, widget.retrieveWidget);
  mount(mounting, operations.readWidgetScript, widget.readWidgetScript);
  mount(mounting, operations.readWidgetVersion, widget.readWidgetVersion);
  mount(mounting, operations.readWidgetIntegrity, widget.readWidgetIntegrity);

  const account: AccountDeps = {
    ...deps,
    publicUrl: config.publicUrl,
    tenantCache,
    passwords: new Passwords(),
    record,
    nextId: makeIdSource(),
  };
  const signIn = signInRoutes(account);
  mount(mounting, operations.readAccountState, signIn.readAccountState);
  mount(mounting, operations.setUpAccount, signIn.setUpAccount);
  mount(mounting, operations.signIn, signIn.signIn);
  mount(mounting, operations.readSession, signIn.readSession);
  mount(mounting, operations.signOut, signIn.signOut);
  mount(mounting, operations.signOutEverywhere, signIn.signOutEverywhere);
  mount(mounting, operations.changePassword, signIn.changePassword);
  mount(mounting, operations.readLink, signIn.readLink);
  mount(mounting, operations.acceptInvitation, signIn.acceptInvitation);
  mount(mounting, operations.resetPassword, signIn.resetPassword);

  const members = memberRoutes(account);
  mount(mounting, operations.updateOrganization, members.updateOrganization);
  mount(mounting, operations.listMembers, members.listMembers);
  mount(mounting, operations.updateMember, members.updateMember);
  mount(mounting, operations.removeMember, members.removeMember);
  mount(mounting, operations.listInvitations, members.listInvitations);
  mount(mounting, operations.createInvitation, members.createInvitation);
  mount(mounting, operations.revokeInvitation, members.revokeInvitation);

  const secrets = secretRoutes(account);
  mount(mounting, operations.listSecrets, secrets.listSecrets);
  mount(mounting, operations.createSecret, secrets.createSecret);
  mount(mounting, operations.updateSecret, secrets.updateSecret);
  mount(mounting, operations.revokeSecret, secrets.revokeSecret);

  const bots = botRoutes(account);
  mount(mounting, operations.listBots, bots.listBots);
  mount(mounting, operations.createBot, bots.createBot);
  mount(mounting, operations.retrieveBot, bots.retrieveBot);
  mount(mounting, operations.updateBot, bots.updateBot);
  mount(mounting, operations.deleteBot, bots.deleteBot);

  const ofMembers = memberContactRoutes(deps, record);
  mount(mounting, operations.createContactAsMember, ofMembers.createContact);
  mount(mounting, operations.upsertContactsAsMember, ofMembers.upsertContacts, { validatesBody: true });
  mount(mounting, operations.searchContactsAsMember, ofMembers.searchContacts);
  mount(mounting, operations.listContactsAsMember, ofMembers.searchContacts);
  mount(mounting, operations.retrieveContactAsMember, ofMembers.retrieveContact);
  mount(mounting, operations.updateContactAsMember, ofMembers.updateContact);
  mount(mounting, operations.deleteContactAsMember, ofMembers.deleteContact);
  mount(mounting, operations.exportContactsAsMember, ofMembers.exportContacts);
  mount(mounting, operations.listContactTokens, ofMembers.listContactTokens);
  mount(mounting, operations.revokeContactTokens, ofMembers.revokeContactTokens);

  const audit = auditRoutes(deps);
  mount(mounting, operations.listAuditEntries, audit.listAuditEntries);
  const service = serviceRoutes(deps, metrics, () => traffic.isStopping);
  mount(mounting, operations.checkHealth, service.checkHealth);
  mount(mounting, operations.checkReadiness, service.checkReadiness);
  mount(mounting, operations.readMetrics, service.readMetrics);
  mount(mounting, operations.readOpenApi, service.readOpenApi);
  mount(mounting, operations.readReference, service.readReference);
  mount(mounting, operations.readReferenceScript, service.readReferenceScript);

  const pages = consoleRoutes();
  mount(mounting, operations.readRoot, pages.readRoot);
  mount(mounting, operations.readConsole, pages.readConsole);
  mount(mounting, operations.readConsoleFile, pages.readConsoleFile);
  mount(mounting, operations.readConsolePreview, pages.readConsolePreview);

  mountPreflights(http, allOperations, tenantCache);

  return {
    http,
    tenantCache,
    flush: async () => {
      await Promise.all([lastSeen.flush(), lastUsed.flush()]);
    },
    beginStop: () => traffic.beginStop(),
  };
}

/** Ids of our own making only: a client's could carry personal data into the log. */
function requestIdSource(): () => string {
  const process = randomBytes(6).toString('hex');
  let count = 0;
  return () => `req-${process}-${(++count).toString(36)}`;
}
