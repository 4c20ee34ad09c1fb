// The types of the handlers, derived from the operations: what each is given and what it must answer.
import type { Readable } from 'node:stream';
import type { Credential, Operation, OperationName, OperatorAccountName, operations } from '@roster/contract';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { SignedIn } from '../account/sessions.ts';
import type { LiveSecret } from '../account/tenant-cache.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';
import type { Bot, Visitor } from '../store/store.ts';

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

/** Present when the operation takes no other credential, perhaps when it takes others too. */
type With<Wanted extends Credential, Taken extends Credential, Value> = [Taken] extends [Wanted]
  ? Value
  : Wanted extends Taken
    ? Value | undefined
    : undefined;

export interface Call<Op extends Operation> {
  operation: Operation;
  params: Op extends Operation ? Record<ParameterNames<Op['path']>, string> : never;
  query: Op extends { query: z.ZodType } ? z.output<Op['query']> : undefined;
  /** Undefined where the handler validates the body itself. */
  body: Op extends { body: { isValidatedByHandler: true } }
    ? undefined
    : Op extends { body: { schema: z.ZodType } }
      ? z.output<Op['body']['schema']>
      : undefined;
  /** The body as it was sent. */
  rawBody: unknown;
  /** Whose check let the request in. */
  credential: Op['credentials'][number];
  /** The bot in the path: it exists, and it is the caller's. */
  bot: Op['path'] extends `${string}{botId}${string}` ? Bot : undefined;
  /** The contact whose token the request carries. */
  visitor: With<'contactToken', Op['credentials'][number], Visitor>;
  /** Who is signed in: a member, and an owner where the operation is for owners. */
  session: With<'session', Op['credentials'][number], SignedIn>;
  /** The secret that the request carries. */
  secret: With<'secret', Op['credentials'][number], LiveSecret>;
  request: FastifyRequest;
  /** To be called before an answer that was held back. Rejects if the caller has lost access meanwhile. */
  checkAccess(): Promise<void>;
  /**
   * Does what costs far more than a read by key, when the caller's organization has a slot for it. The slot is held until the client
   * has read the answer, or given back if the work resolves with undefined: then the answer is still to come.
   */
  asHeavy<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Resolves when other requests have been served: to be called before some milliseconds of work. */
  nextSlice(): Promise<void>;
  /** Does long work of the main thread in steps, between which other requests are served. */
  inSlices<Result>(steps: Iterator<void, Result>): Promise<Result>;
}

type AnswerBody<Op extends Operation> = Op['answer'] extends { mediaType: string }
  ? { body: string | Buffer | Readable }
  : Op['answer'] extends { schema: z.ZodType }
    ? { body: z.output<Op['answer']['schema']> }
    : { body?: never };

export type Answer<Op extends Operation> = AnswerBody<Op> & AnswerHead;

export interface AnswerHead {
  /** What the path names was there before: the status is that of `changed` in the operation's answer. */
  isChanged?: boolean;
  headers?: Record<string, string>;
  /** Each is a `Set-Cookie`. */
  cookies?: string[];
}

export type Handler<Op extends Operation> = (call: Call<Op>) => MaybePromise<Answer<Op>>;

type Operations = typeof operations;

/** One handler for each operation of the contract. */
export type Handlers = { readonly [Name in OperationName]: Handler<Operations[Name]> };

/** The same before the operator's are derived: some of the members' handlers serve the operator too. */
export type AccountHandlers = {
  readonly [Name in OperationName]: Handler<
    Name extends OperatorAccountName ? Operations[Name] | Operations[`${Name}AsOperator`] : Operations[Name]
  >;
};
