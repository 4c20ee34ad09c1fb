// A reporter of `node --test`: a line for each test that failed. The run prints them at its end, where the reader looks.
import { relative } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

export default async function* failedTests(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail') continue;
    const { name, file = '', line, details } = event.data;
    const { cause, failureType } = details.error as Error & { failureType?: string };
    // A suite fails when a test in it did, and that one has a line of its own.
    if (failureType === 'subtestsFailed') continue;
    const [reason] = String((cause as Error | undefined)?.message ?? cause ?? details.error.message).split('\n', 1);
    yield `  ${relative(process.cwd(), file)}:${line}  ${name}: ${reason}\n`;
  }
}
