// Validates input by the contract's schemas, and words their issues for the caller.
import { type FieldError, limits } from '@roster/contract';
import type { z } from 'zod';
import { invalidRequest } from './api-error.ts';

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

export type KnownNames = Pick<ReadonlySet<string>, 'has'>;

/** The `Roster-Ignored` header of one object: a body or the parameters of a query. */
export function ignoredIn(body: unknown, known: KnownNames): { 'Roster-Ignored'?: string } {
  const ignored = new IgnoredFields();
  ignored.note(body, known);
  return ignored.headers();
}

/** Names that no schema knows, for the `Roster-Ignored` header. */
export class IgnoredFields {
  readonly #names = new Set<string>();

  note(input: unknown, known: KnownNames): void {
    if (typeof input !== 'object' || input === null || Array.isArray(input)) return;
    for (const name of Object.keys(input)) {
      if (!known.has(name) && this.#names.size < namesReported) this.#names.add(name);
    }
  }

  headers(): { 'Roster-Ignored'?: string } {
    if (this.#names.size === 0) return {};
    // A name is the caller's text: whatever is not plain is escaped, so that it cannot break the header.
    const names = Array.from(this.#names, (name) => {
      return plainName.test(name) ? name : encodeURIComponent(name.slice(0, 64).toWellFormed());
    });
    const header = names.join(', ');
    return { 'Roster-Ignored': header.length <= headerLengthMax ? header : `${header.slice(0, headerLengthMax)}...` };
  }
}
