// What text input has to be, in plain code: trimmed, measured in code points, without control characters. The schemas and the
// command line share it.
import { limits } from './limits.ts';

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

/** What is said of a required value that is not there. */
export const emptyFault = 'must not be empty';

const controlCharacter = /\p{Cc}/u;

/** A string has at most as many code points as UTF-16 units, so only the long ones need counting. */
export function isLongerThan(value: string, codePoints: number): boolean {
  if (value.length <= codePoints) return false;
  let count = 0;
  for (const _ of value) if (++count > codePoints) return true;
  return false;
}

/** The value that is checked and kept. */
export function normaliseText(value: string, { normalise }: TextRules): string {
  return normalise === undefined ? value.trim() : normalise(value.trim());
}

/** What is wrong with a normalised value, or nothing. An empty one is not. */
export function faultOfText(value: string, { maxLength = Number.POSITIVE_INFINITY, fault }: TextRules) {
  if (!value.isWellFormed()) return 'must not contain unpaired surrogates';
  if (isLongerThan(value, maxLength)) return `must be at most ${maxLength} characters long`;
  if (controlCharacter.test(value)) return 'must not contain control characters';
  return value === '' ? undefined : fault?.(value);
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
  normalise: (value: string) => (value.length > limits.whatsappLength ? value : value.replace(whatsappSeparators, '')),
  fault: (value: string) => (whatsapp.test(value) ? undefined : 'must be in international format, like +15550100123'),
};

/** A path cannot end in one of these: clients and proxies resolve it. */
const dots = /^\.{1,2}$/;

export const tagRules: TextRules = {
  description: 'A tag, without commas.',
  maxLength: limits.tagLength,
  example: 'vip',
  form: '[^,\\s\\x00-\\x1f\\x7f-\\x9f][^,\\x00-\\x1f\\x7f-\\x9f]*',
  fault: (value) =>
    value.includes(',') ? 'must not contain commas' : dots.test(value) ? 'must not be "." or ".."' : undefined,
};
