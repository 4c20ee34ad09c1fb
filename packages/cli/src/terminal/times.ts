// Times as the API writes them.

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
