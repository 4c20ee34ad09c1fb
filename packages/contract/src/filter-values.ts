// What the values of filters have to be, in plain code. The schemas and the command line share it.
import { parseDateBound } from './dates.ts';
import { emptyFault } from './text-rules.ts';

interface ValueRule {
  isMet(value: string): boolean;
  error: string;
}

/** Numbers are compared by their ASCII digits, so they must have one. NFKD makes ASCII of the digits of other scripts' keyboards. */
export const digitRule: ValueRule = {
  isMet: (value) => /[0-9]/.test(value.normalize('NFKD')),
  error: 'must contain a digit',
};

export const dateBoundRule: ValueRule = {
  isMet: (value) => parseDateBound(value, 0) !== undefined,
  error:
    'must be a date like 2026-11-30, a date-time like 2026-11-30T12:00:00Z, or a time from now like -30d, -12h or +7d',
};

/** Filters that compare a field with one value, and what the value has to be besides not empty. */
export const exactFilters: Record<'email' | 'phone' | 'mid' | 'wid', ValueRule | undefined> = {
  email: undefined,
  phone: digitRule,
  mid: undefined,
  wid: digitRule,
};

/** What is wrong with the value of such a filter, or nothing. */
export function faultOfExactFilter(name: keyof typeof exactFilters, value: string): string | undefined {
  const trimmed = value.trim();
  if (trimmed === '') return emptyFault;
  const rule = exactFilters[name];
  return rule === undefined || rule.isMet(trimmed) ? undefined : rule.error;
}
