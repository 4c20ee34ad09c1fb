// Validates input by the contract's schemas, and words their issues for the caller.
import { type FieldError, isAttributeParameter, limits, type Operation, takesFilters } from '@roster/contract';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type ApiError, invalidRequest } from './api-error.ts';

export function validate<Schema extends z.ZodType>(schema: Schema, input: unknown, whole: string): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw invalidRequest(fieldErrors(result.error, whole));
}

/** `whole` names the input itself, for faults that are not those of one field. */
export function fieldErrors(error: z.ZodError, whole: string, index?: number): FieldError[] {
  return error.issues.slice(0, limits.faultsReported + 1).map((issue) => ({
    ...(index !== undefined && { index }),
    field: issue.path.length === 0 ? whole : issue.path.join('.'),
    message: messageOf(issue),
  }));
}

function messageOf(issue: z.core.$ZodIssue): string {
  const expected = issue.code === 'invalid_type' ? issue.expected : undefined;
  if (expected === 'object') return 'must be a JSON object';
  if (expected === 'array') return 'must be an array';
  // Names of fields are the caller's text, which an error does not repeat.
  return issue.code === 'unrecognized_keys' ? 'contains unknown fields' : issue.message;
}

const namesReported = 20;
/** Proxies refuse answers with long headers, and this header also comes with writes that have happened. */
const headerLengthMax = 1000;
const plainName = /^[\w.-]{1,64}$/;

type KnownNames = Pick<ReadonlySet<string>, 'has'>;
type Shape = Readonly<Record<string, z.ZodType & { element?: { shape?: Shape }; shape?: Shape }>>;

/** Finds the names in requests of an operation that it does not know: of parameters, of fields, and of those of items. */
export function prepareUnknown(operation: Operation): (request: Pick<FastifyRequest, 'query' | 'body'>) => Set<string> {
  const { query, body } = operation;
  const parameters: KnownNames = {
    has: (name) => Object.hasOwn(query?.shape ?? {}, name) || (takesFilters(operation) && isAttributeParameter(name)),
  };
  const { shape } = (body?.schema ?? {}) as { shape?: Shape };
  const namesIn = (fields: Shape = {}) => new Set([...Object.keys(fields), ...(body?.readOnly ?? [])]);
  const lists = Object.entries(shape ?? {}).filter(([, { element }]) => element?.shape !== undefined);
  const fields = lists.length > 0 ? new Set(Object.keys(shape ?? {})) : namesIn(shape);
  return (request) => {
    const unknown = new Set<string>();
    if (shape !== undefined) noteUnknown(request.body, fields, unknown);
    for (const [name, { element }] of lists) {
      const items = (request.body as Record<string, unknown> | undefined)?.[name];
      const known = namesIn(element?.shape);
      if (Array.isArray(items)) for (const item of items) noteUnknown(item, known, unknown);
    }
    noteUnknown(request.query, parameters, unknown);
    return unknown;
  };
}

function noteUnknown(input: unknown, known: KnownNames, unknown: Set<string>): void {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return;
  for (const name in input) {
    if (unknown.size >= namesReported) return;
    if (!known.has(name)) unknown.add(name);
  }
}

/** As the header of an answer. A name is the caller's text: whatever is not plain is escaped, so that it cannot break it. */
export function toHeader(unknown: ReadonlySet<string>): string {
  const names = Array.from(unknown, (name) =>
    plainName.test(name) ? name : encodeURIComponent(name.slice(0, 64).toWellFormed()),
  );
  const header = names.join(', ');
  return header.length <= headerLengthMax ? header : `${header.slice(0, headerLengthMax)}...`;
}

/** RFC 7240. */
export function prefersStrict(prefer: string | string[] | undefined): boolean {
  return /(^|[,;])\s*handling\s*=\s*"?strict"?\s*($|[,;])/i.test([prefer ?? []].flat().join());
}

export function unknownRefused(unknown: ReadonlySet<string>): ApiError {
  return invalidRequest(
    Array.from(unknown, (name) => ({
      field: plainName.test(name) ? name : 'request',
      message: 'is unknown. Check its spelling, or leave it out',
    })),
  );
}
