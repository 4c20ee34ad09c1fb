// Schemas of text input. Contacts, bots, members and the rest share its rules.
import * as z from 'zod';
import { emptyFault, faultOfText, normaliseText, type TextRules } from './text-rules.ts';

/** A parameter of a query string is text; one that is given twice is a list. */
export const parameter = z.string({ error: 'must not be given twice' });

/** Control characters as a character class of a pattern, in what the regular expressions of all languages share. */
const controlRange = '\\x00-\\x1f\\x7f-\\x9f';

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
  return z
    .string({
      error: (issue) => (issue.input === undefined || issue.input === null ? 'is required' : 'must be a string'),
    })
    .overwrite((value) => normaliseText(value, rules))
    .check((context) => {
      const message = faultOfText(context.value, rules);
      if (message !== undefined) context.issues.push({ code: 'custom', message, input: context.value });
    })
    .meta(described(rules, false));
}

export function required(rules: TextRules) {
  return text(rules)
    .refine((value) => value !== '', { error: emptyFault })
    .meta(described(rules, true));
}
