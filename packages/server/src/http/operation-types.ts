// The types of a handler, derived from its operation: what it is given and what it must answer.
import type { Operation } from '@roster/contract';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { SignedIn } from '../account/sessions.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';
import type { Bot, Visitor } from '../store/store.ts';

type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;

export interface Call<Op extends Operation> {
  params: Record<ParameterNames<Op['path']>, string>;
  query: Op extends { query: z.ZodType } ? z.output<Op['query']> : undefined;
  body: Op extends { body: { schema: z.ZodType } } ? z.output<Op['body']['schema']> : undefined;
  /** The body as it came, for the handler that reports faults in its own way. */
  rawBody: unknown;
  /** The bot in the path: it exists, and it is the caller's. */
  bot: Op['path'] extends `${string}{botId}${string}` ? Bot : undefined;
  /** Whom the contact token stands for. */
  visitor: Op['credential'] extends 'contact' ? Visitor : undefined;
  /** Who is signed in: they are a member, and an owner where the operation is for owners. */
  session: Op['credential'] extends 'session' ? SignedIn : undefined;
  request: FastifyRequest;
}

type AnswerBody<Op extends Operation> = Op['answer'] extends { schema: z.ZodType }
  ? { body: z.output<Op['answer']['schema']> }
  : Op['answer'] extends { mediaType: string }
    ? { body: string | Buffer }
    : { body?: never };

export type Answer<Op extends Operation> = AnswerBody<Op> & { headers?: Record<string, string> };

export type Handler<Op extends Operation> = (call: Call<Op>) => MaybePromise<Answer<Op>>;
