// Requests made from the contract's list of operations, so that a new operation is in every generated test by itself.

import { limits, type Operation, operations, operationsFor, portCredentials, problemSchema } from '@roster/contract';
import * as z from 'zod';
import { hashCredential, makeContactToken, makeWebhookSecret } from '../../src/account/credentials.ts';
import { sessionIdOf } from '../../src/account/sessions.ts';
import { tokenId } from '../../src/operations/contact-tokens.ts';
import { loadConsole, loadGuide, loadWidgetScript } from '../../src/program/built-files.ts';
import type { Member } from '../../src/store/account/account-store.ts';
import { newAttribute, sampleSegment } from '../conformance/attributes.ts';
import { consoleOrigin, signInAgain, signInAs } from '../console-client.ts';
import {
  type Caller,
  type CallOptions,
  callerOf,
  createContact,
  metricsToken,
  type Reply,
  type TestServer,
} from '../harness.ts';
import { takeWebhooks } from '../leases.ts';
import {
  sampleBot,
  sampleCaller,
  sampleContext,
  sampleHash,
  sampleInvitation,
  sampleSecret,
  sampleToken,
  sampleWebhook,
} from '../sample.ts';
import { wholeFile } from '../whole-file.ts';

export { wholeFile };

export const allOperations: readonly Operation[] = operationsFor(portCredentials).map(([, operation]) => operation);

/** Something real for each path parameter of the contract. */
export interface Targets {
  botId: string;
  contactId: string;
  /** A live contact token of that contact. */
  token: string;
  /** Of another one, in the list of its tokens. */
  tokenId: string;
  /** Of an attribute and of a segment of the bot. */
  key: string;
  /** That the contact has. */
  tag: string;
  webhookId: string;
  /** Of an event that has a delivery for that webhook. */
  eventId: string;
  secretId: string;
  memberId: string;
  invitationId: string;
  /** An owner, and a session of theirs. */
  owner: Member;
  sessionId: string;
  /** Of the widget's script. */
  version: string;
  /** Of the console. */
  file: string;
  /** Of the guide. */
  page: string;
  section: string;
  subpage: string;
  guideFile: string;
  /** A bot that a test can do without. */
  deletedBotId?: string;
}

const attributeKey = 'plan';

export async function makeTargets(server: TestServer): Promise<Targets> {
  const { call, mine, store, clock } = server;
  const tag = 'vip';
  const contact = await createContact(call, { tags: [tag] });
  const token = makeContactToken();
  const expiresAtMs = clock.nowMs + limits.contactTokenSecondsMax * 1000;
  const listed = sampleToken({ expiresAtMs });
  const secret = sampleSecret(mine.organizationId);
  const bot = sampleBot(mine.organizationId);
  const invitation = sampleInvitation(mine.organizationId, { expiresAtMs });
  const define = async () => {
    await store.defineAttribute(mine.bot.id, newAttribute(attributeKey), sampleContext());
    await store.defineSegment(mine.bot.id, sampleSegment(attributeKey), sampleContext());
  };
  // At once, since an engine commits together what comes together.
  const [delivery, { member }, { member: owner, session }] = await Promise.all([
    makeDelivery(server),
    signInAs(server, 'member'),
    signInAs(server, 'owner'),
    define(),
    store.createContactToken(
      mine.bot.id,
      contact.id,
      sampleToken({ hash: hashCredential(token), expiresAtMs }),
      undefined,
      sampleContext(),
    ),
    store.createContactToken(mine.bot.id, contact.id, listed, undefined, sampleContext()),
    store.createSecret(secret, undefined, sampleContext()),
    store.createBot(bot, undefined, sampleContext()),
    store.createInvitation(invitation, sampleHash(), undefined, sampleContext()),
  ]);
  const { version } = loadWidgetScript();
  const [file] = loadConsole().assets.keys();
  const [guideFile] = loadGuide().fileNames();
  return {
    botId: mine.bot.id,
    contactId: contact.id,
    token,
    tokenId: tokenId(listed),
    key: attributeKey,
    tag,
    ...delivery,
    secretId: secret.id,
    memberId: member.id,
    invitationId: invitation.id,
    owner,
    sessionId: sessionIdOf(session.hash),
    version,
    file: file as string,
    page: 'api',
    section: 'operations',
    subpage: 'install',
    guideFile: guideFile as string,
    deletedBotId: bot.id,
  };
}

/**
 * Targets for many requests: they are made anew only when one may have used them up. Making them takes as long as twenty
 * requests.
 */
export function keepTargets(server: TestServer) {
  let kept: Promise<Targets> | undefined;
  return {
    current(): Promise<Targets> {
      kept ??= makeTargets(server);
      return kept;
    },
    /** After every request that named them: one that only reads leaves them as they are, and so does one that is refused. */
    note({ method }: Operation, { status }: Pick<Reply, 'status'>): void {
      if (method !== 'GET' && status < 300) kept = undefined;
    },
  };
}

/** A webhook beside the first of the bot, which lasts: others make room, since there is a limit. Nobody listens at its URL. */
async function makeDelivery({ mine, store, clock }: TestServer): Promise<Pick<Targets, 'webhookId' | 'eventId'>> {
  const { id: botId } = mine.bot;
  const [, ...others] = await store.listWebhooks(botId);
  for (const { id } of others) await store.deleteWebhook(botId, id, sampleContext());
  const made = await store.createWebhook(
    botId,
    sampleWebhook({ url: 'http://127.0.0.1:1/hooks', secret: makeWebhookSecret() }),
    limits.webhooksPerBot,
    sampleContext(),
  );
  const page = await store.readEvents(botId, { limit: 1 }, sampleCaller);
  if (made.kind !== 'created' || page.kind !== 'page') throw new Error('could not make a webhook');
  const { id: webhookId, position, version } = made.webhook;
  const owner = 'the tests';
  await takeWebhooks(store, botId, owner);
  const plan = { owner, version, position, events: page.events };
  if (!(await store.planDeliveries(botId, webhookId, plan, sampleContext({ nowMs: clock.nowMs }))))
    throw new Error('could not plan a delivery');
  return { webhookId, eventId: page.events[0]?.id ?? '' };
}

/** What lets a request in: the right credential, and for the console's operations also what its pages send. */
export async function lettingIn(
  { credentials }: Operation,
  server: TestServer,
  { token, owner }: Pick<Targets, 'token' | 'owner'>,
): Promise<CallOptions> {
  switch (credentials[0]) {
    case 'secret':
      return { token: server.mine.secret };
    case 'contactToken':
      return { token };
    case 'session':
      // Some of them end the session, so each gets its own.
      return { token: null, headers: (await signInAgain(server, owner)).headers() };
    case 'signIn':
      return { token: null, headers: { origin: consoleOrigin } };
    case 'metrics':
      return { token: metricsToken };
    default:
      return { token: null };
  }
}

export function pathOf({ path, id }: Operation, targets: Targets): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (id === operations.deleteBot.id && targets.deletedBotId !== undefined) return targets.deletedBotId;
    const value = targets[name as keyof Targets];
    if (typeof value !== 'string') throw new Error(`${id}: add something real for {${name}} to every-operation.ts`);
    return value;
  });
}

interface JsonSchema {
  type?: string;
  enum?: string[];
  minimum?: number;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
}

/** These are not sent together with others: choices are of one type alone. */
const excluded: readonly string[] = ['addTags', 'removeTags', 'choices'];

/** An input with every field that the schema knows: whole numbers are the least there are, the rest is made by `make` from its name. */
export function fillSchema(schema: z.ZodType, make: (field: string) => string): unknown {
  const fill = (part: JsonSchema, field: string): unknown => {
    if (part.properties !== undefined) {
      const members = Object.entries(part.properties).filter(([name]) => !excluded.includes(name));
      return Object.fromEntries(members.map(([name, inner]) => [name, fill(inner, name)]));
    }
    // Greetings by language; attributes: the one that `makeTargets` has defined.
    if (typeof part.additionalProperties === 'object') {
      if (field === 'greetings') return { en: make(field) };
      const isCondition = part.additionalProperties.anyOf !== undefined;
      return { [attributeKey]: isCondition ? [make(field)] : make(field) };
    }
    if (part.enum !== undefined) return part.enum[0];
    if (part.type === 'boolean') return true;
    const whole = [part, ...(part.anyOf ?? [])].find(({ type }) => type === 'integer');
    if (whole !== undefined) return whole.minimum;
    // A condition of a filter is a plain value or an object.
    if (part.anyOf?.some(({ properties }) => properties !== undefined)) return fill(part.anyOf[0] as JsonSchema, field);
    // A list of ids names what is not there.
    if (part.anyOf?.some(({ items }) => items !== undefined)) return null;
    return part.items === undefined ? make(field) : [fill(part.items, field)];
  };
  const converted = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' });
  const inlined = inlineReferences(converted as JsonSchema & { $defs?: Record<string, JsonSchema> });
  return fill(inlined, '');
}

function inlineReferences(root: JsonSchema & { $defs?: Record<string, JsonSchema> }): JsonSchema {
  const text = JSON.stringify(root, (_, value) => {
    const name = typeof value?.$ref === 'string' ? value.$ref.replace('#/$defs/', '') : undefined;
    return name === undefined ? value : root.$defs?.[name];
  });
  return JSON.parse(text) as JsonSchema;
}

/** Speaks for a bot of its own, so that a test can count what is in it. */
export async function callerOfNewBot({ store, url, mine }: TestServer): Promise<Caller> {
  const bot = sampleBot(mine.organizationId);
  await store.createBot(bot, undefined, sampleContext());
  return callerOf(url, { ...mine, bot });
}

/** Fails unless the answer is an error of the one shape, with a request id that is its own. */
export function parseProblem(answer: { status: number; headers: Headers | Record<string, string>; body: string }) {
  const header = (name: string) =>
    answer.headers instanceof Headers ? (answer.headers.get(name) ?? undefined) : answer.headers[name];
  if (!/^application\/problem\+json(?:; charset=utf-8)?$/.test(header('content-type') ?? '')) {
    throw new Error(`not a problem but ${header('content-type')}: ${answer.status} ${answer.body}`);
  }
  const problem = problemSchema.parse(JSON.parse(answer.body));
  if (problem.status !== answer.status) throw new Error(`status ${answer.status} holds status ${problem.status}`);
  if (problem.requestId !== header('x-request-id')) throw new Error(`the request id differs: ${answer.body}`);
  return problem;
}
