// Text input: trimmed, measured in code points, without control characters. Contacts, bots, members and the rest share
// these rules.
import { z } from 'zod';
import { limits } from './limits.ts';

/** A parameter of a query string is text; one that is given twice is a list. */
export const parameter = z.string({ error: 'must not be given twice' });

const controlCharacter = /\p{Cc}/u;

/** The same for a character class of a pattern, in what the regular expressions of all languages share. */
const controlRange = '\\x00-\\x1f\\x7f-\\x9f';

/** A string has at most as many code points as UTF-16 units, so only the long ones need counting. */
export function isLongerThan(value: string, codePoints: number): boolean {
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
  /** What a value that is not empty looks like before it is normalised: a regular expression, for the OpenAPI document. */
  form?: string;
  /** The last rule: what is wrong with the form, or nothing. Empty values do not reach it. */
  fault?: (value: string) => string | undefined;
}

/**
 * The rules as a pattern for the OpenAPI document, as far as a pattern can state them. It allows the white space around a value,
 * which the server trims: `maxLength` would refuse text that the server accepts.
 */
function patternOf({ maxLength, form }: TextRules, isRequired: boolean): string {
  const length = maxLength === undefined ? '*' : `{0,${maxLength - 1}}`;
  const value = form ?? `[^\\s${controlRange}][^${controlRange}]${length}`;
  return isRequired ? `^\\s*${value}\\s*$` : `^\\s*(?:${value}\\s*)?$`;
}

function described(rules: TextRules, isRequired: boolean) {
  const { description, maxLength, example } = rules;
  const bound = maxLength === undefined ? '' : ` At most ${maxLength} characters.`;
  return { description: `${description}${bound}`, pattern: patternOf(rules, isRequired), examples: [example] };
}

/** A trimmed string. It stops at the first fault, so that a field is reported once. */
export function text(rules: TextRules) {
  const { maxLength = Number.POSITIVE_INFINITY, normalise, fault } = rules;
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
    .meta(described(rules, false));
}

export function required(rules: TextRules) {
  return text(rules)
    .refine((value) => value !== '', { error: 'must not be empty' })
    .meta(described(rules, true));
}

/** \x22 is the quotation mark, which some generators of clients copy into a string without escaping it. */
const emailForm = '[^\\s@<>,;\\x22]+@[^\\s@<>,;\\x22.]+(?:\\.[^\\s@<>,;\\x22.]+)*';
const email = new RegExp(`^${emailForm}$`, 'u');

/** What an email address is, a contact's and a member's. */
export const emailRules = {
  maxLength: limits.emailLength,
  example: 'jane@example.com',
  form: emailForm,
  fault: (value: string) => (email.test(value) ? undefined : 'must be an email address, like jane@example.com'),
};

const { whatsappDigitsMin, whatsappDigitsMax } = limits;
const laterDigits = `{${whatsappDigitsMin - 1},${whatsappDigitsMax - 1}}`;
const whatsapp = new RegExp(`^\\+[1-9][0-9]${laterDigits}$`);
/** White space, but not the control characters among it: those are an error. */
const whatsappSeparators = /(?!^)(?!\p{Cc})[\s.()[\]\p{Pd}]/gu;

/** What a WhatsApp number is, a contact's and a bot's. */
export const whatsappRules = {
  example: '+15550100123',
  form: `\\+[^0-9A-Za-z]*[1-9](?:[^0-9A-Za-z]*[0-9])${laterDigits}[^0-9A-Za-z]*`,
  normalise: (value: string) => value.replace(whatsappSeparators, ''),
  fault: (value: string) => (whatsapp.test(value) ? undefined : 'must be in international format, like +15550100123'),
};
