// Requests made from the contract's list of operations, so that a new operation is in every generated test by itself.
import { after, type TestContext } from 'node:test';
import { type Operation, operations, problemSchema } from '@roster/contract';
import { loadWidgetScript } from '@roster/widget/script';
import { z } from 'zod';
import { hashCredential, makeContactToken } from '../../src/credentials.ts';
import { type Caller, callerOf, createContact, type TestServer } from '../harness.ts';
import { sampleBot, sampleToken } from '../sample.ts';

/** For a server that all tests of a file share: it ends with the file. */
export const wholeFile: Pick<TestContext, 'after'> = { after: (end) => after(end as () => Promise<void>) };

export const allOperations: readonly Operation[] = Object.values(operations);

/** Something real for each path parameter of the contract. */
export interface Targets {
  botId: string;
  contactId: string;
  /** A live contact token of that contact. */
  token: string;
  /** Of the widget's script. */
  version: string;
}

export async function makeTargets({ call, mine, store, clock }: TestServer): Promise<Targets> {
  const contact = await createContact(call);
  const token = makeContactToken();
  const expiresAtMs = clock.nowMs + 1_000_000;
  await store.createContactToken(mine.bot.id, contact.id, sampleToken({ hash: hashCredential(token), expiresAtMs }));
  const { version } = await loadWidgetScript();
  return { botId: mine.bot.id, contactId: contact.id, token, version };
}

export function pathOf({ path, id }: Operation, targets: Targets): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = targets[name as keyof Targets];
    if (value === undefined) throw new Error(`${id}: add something real for {${name}} to every-operation.ts`);
    return value;
  });
}

interface JsonSchema {
  type?: string;
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
}

/** An input with every field that the schema knows, each made by `make` from its name. */
export function fillSchema(schema: z.ZodType, make: (field: string) => string): unknown {
  const fill = (part: JsonSchema, field: string): unknown => {
    if (part.properties !== undefined) {
      return Object.fromEntries(Object.entries(part.properties).map(([name, inner]) => [name, fill(inner, name)]));
    }
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
  await store.createBot(bot);
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
