// Keeps secrets out of errors. Texts from outside (a custom fetch, Deno's own, a proxy) may quote a URL or a header,
// and one operation has a contact token in its URL.

/** Replaces the longest secrets first: where one contains another, nothing of it is left over. */
export function makeRedactor(secrets: readonly string[]): (text: string) => string {
  const forms = new Set(secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]));
  const sorted = [...forms].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  return (text) => sorted.reduce((safe, form) => safe.replaceAll(form, '[redacted]'), text);
}

/** Chains of causes are cut at this depth, which also ends cycles. */
const depthMax = 4;

/** A copy with name, message and code only: other members of a thrown error may contain the request. */
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

/** The innermost message: the outer ones only state that fetch failed. */
export function reasonOf(cause: Error | undefined): string | undefined {
  return cause?.cause instanceof Error ? reasonOf(cause.cause) : cause?.message;
}

/** Not `instanceof`: under some test runners, errors come from another realm and are not instances of our `Error`. */
function isErrorLike(value: unknown): value is { message: string; name?: unknown; code?: unknown; cause?: unknown } {
  return typeof value === 'object' && value !== null && typeof (value as { message?: unknown }).message === 'string';
}
