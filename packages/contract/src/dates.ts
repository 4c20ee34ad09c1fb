// Dates as callers write them: an ISO 8601 date or date-time, or a time from now. Pure.

const isoForm =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$/;

/**
 * Milliseconds of a date, which is its midnight UTC, or of a date-time with `Z` or an offset. Undefined for anything else, and
 * for days and times that do not exist.
 */
export function parseDate(text: string): number | undefined {
  const parts = isoForm.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0)) as Six;
  const [fraction = '', zone = 'Z'] = parts.slice(7);
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for those of the last century.
  date.setUTCFullYear(year, month - 1, day);
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  const offsetMinutes = offsetOf(zone);
  if (!isDay || hour > 23 || minute > 59 || second > 59 || offsetMinutes === undefined) return undefined;
  date.setUTCHours(hour, minute, second, Number(fraction.slice(0, 3).padEnd(3, '0')));
  return date.getTime() - offsetMinutes * 60_000;
}

type Six = [number, number, number, number, number, number];

function offsetOf(zone: string): number | undefined {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const relativeForm = /^([+-]?)([0-9]{1,6})([dh])$/;
const unitMs = { d: 86_400_000, h: 3_600_000 };

/**
 * How far from now `-30d`, `+12h` and `12h` are, in milliseconds. Undefined for anything else. In an address a bare `+` arrives as
 * a space, so that a time without a sign is in the future too.
 */
export function parseRelativeDate(text: string): number | undefined {
  const [, sign, amount, unit] = relativeForm.exec(text) ?? [];
  if (unit === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * Number(amount) * unitMs[unit as keyof typeof unitMs];
}

/** What a filter takes for a date, in milliseconds. */
export function parseDateBound(text: string, nowMs: number): number | undefined {
  const fromNowMs = parseRelativeDate(text);
  return fromNowMs === undefined ? parseDate(text) : nowMs + fromNowMs;
}
