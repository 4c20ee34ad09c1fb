// Keeps secrets out of what the client reports. Texts from outside (a custom fetch, Deno's own, a proxy) may quote an
// address or a header, and one operation has a contact token in its address.

/** Longest first, so that no part of one is left over where it contains another. */
export function makeRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]));
  const sorted = [...forms].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  return (text) => sorted.reduce((safe, form) => safe.replaceAll(form, '[redacted]'), text);
}

/** Causes have causes; deeper than this they tell nothing more. */
const depthMax = 4;

/** A copy of what was thrown, with its name, message and code and nothing else: other members may hold the request. */
export function redactCause(thrown: unknown, redact: (text: string) => string, depth = 0): Error | undefined {
  if (thrown === undefined || thrown === null || depth === depthMax) return undefined;
  if (!isErrorLike(thrown)) return new Error(redact(String(thrown)));
  const cause = redactCause(thrown.cause, redact, depth + 1);
  const copy = new Error(redact(thrown.message), cause === undefined ? undefined : { cause });
  if (typeof thrown.name === 'string') copy.name = redact(thrown.name);
  return typeof thrown.code === 'string' ? Object.assign(copy, { code: redact(thrown.code) }) : copy;
}

/** The first code in a chain of causes: `ECONNREFUSED`, `UND_ERR_SOCKET`, … */
export function codeOf(thrown: unknown, depth = 0): string | undefined {
  if (!isErrorLike(thrown) || depth === depthMax) return undefined;
  return typeof thrown.code === 'string' && thrown.code !== '' ? thrown.code : codeOf(thrown.cause, depth + 1);
}

/** The innermost message: the outer ones only say that fetch failed. */
export function reasonOf(cause: Error | undefined): string | undefined {
  return cause?.cause instanceof Error ? reasonOf(cause.cause) : cause?.message;
}

/** Not `instanceof`: test runners give a program globals of another realm, whose errors are not instances of ours. */
function isErrorLike(value: unknown): value is { message: string; name?: unknown; code?: unknown; cause?: unknown } {
  return typeof value === 'object' && value !== null && typeof (value as { message?: unknown }).message === 'string';
}
