// Times as answers carry them: ISO 8601 in UTC with milliseconds.

export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString();
}

/** JSON has null where we have undefined. */
export function toTimestampOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : toTimestamp(ms);
}
