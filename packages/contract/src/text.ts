// Text input: trimmed, measured in code points, without control characters. Contacts, bots, members and the rest share
// these rules.
import { z } from 'zod';
import { limits } from './limits.ts';

const controlCharacter = /\p{Cc}/u;

/** A string has at most as many code points as UTF-16 units, so only the long ones need counting. */
function isLongerThan(value: string, codePoints: number): boolean {
  if (value.length <= codePoints) return false;
  let count = 0;
  for (const _ of value) if (++count > codePoints) return true;
  return false;
}

export interface TextRules {
  description: string;
  maxLength?: number;
  example: string;
  normalise?: (value: string) => string;
  /** The last rule: what is wrong with the form, or nothing. Empty values do not reach it. */
  fault?: (value: string) => string | undefined;
}

/** A trimmed string. It stops at the first fault, so that a field is reported once. */
export function text({ description, maxLength = Number.POSITIVE_INFINITY, example, normalise, fault }: TextRules) {
  return z
    .string({
      error: (issue) => (issue.input === undefined || issue.input === null ? 'is required' : 'must be a string'),
    })
    .overwrite((value) => (normalise === undefined ? value.trim() : normalise(value.trim())))
    .check((context) => {
      const { value } = context;
      const message = !value.isWellFormed()
        ? 'must not contain unpaired surrogates'
        : controlCharacter.test(value)
          ? 'must not contain control characters'
          : isLongerThan(value, maxLength)
            ? `must be at most ${maxLength} characters long`
            : value === ''
              ? undefined
              : fault?.(value);
      if (message !== undefined) context.issues.push({ code: 'custom', message, input: value });
    })
    .meta({ description, ...(Number.isFinite(maxLength) && { maxLength }), examples: [example] });
}

export function required(rules: TextRules) {
  return text(rules)
    .refine((value) => value !== '', { error: 'must not be empty' })
    .meta({ description: rules.description, minLength: 1, maxLength: rules.maxLength, examples: [rules.example] });
}

const emailForm = /^[^\s@<>,;"]+@[^\s@<>,;".]+(?:\.[^\s@<>,;".]+)*$/u;

/** What an email address is, a contact's and a member's. */
export const emailRules = {
  maxLength: limits.emailLength,
  example: 'jane@example.com',
  fault: (value: string) => (emailForm.test(value) ? undefined : 'must be an email address, like jane@example.com'),
};
