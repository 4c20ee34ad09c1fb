// Writes an answer with a long list as JSON, in steps.

/** The longest page of contacts that is written at once. */
const itemsAtOnce = 100;
const itemsPerStep = 20;

export function isLongAnswer(body: unknown): body is { data: unknown[] } {
  const { data } = (body ?? {}) as { data?: unknown };
  return Array.isArray(data) && data.length > itemsAtOnce;
}

/** As `JSON.stringify` writes it. */
export function* toJson({ data, ...others }: { data: readonly unknown[] }): Generator<void, string> {
  const parts: string[] = [];
  for (let at = 0; at < data.length; at += itemsPerStep) {
    // Without the brackets around them.
    parts.push(JSON.stringify(data.slice(at, at + itemsPerStep)).slice(1, -1));
    yield;
  }
  const rest = JSON.stringify(others).slice(1);
  return `{"data":[${parts.join()}]${rest === '}' ? rest : `,${rest}`}`;
}
