// Long work on a file, without a page that stands still.

const busyMs = 30;

/** Yields to the browser while a large file is read, so that the page stays responsive. */
export async function* withPauses<Value>(values: AsyncIterable<Value>): AsyncGenerator<Value> {
  let sinceMs = performance.now();
  for await (const value of values) {
    yield value;
    if (performance.now() - sinceMs < busyMs) continue;
    await new Promise((resolve) => setTimeout(resolve));
    sinceMs = performance.now();
  }
}
