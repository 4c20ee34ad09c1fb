// The reporter of a test process: what failed, with all that is known about it, and nothing of what passed. When the process ends
// it leaves its counts and its CPU time in the file that the runner named.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { countsVariable, noCounts, reportSignal } from './counts.ts';

/** Of the runner. Tests of commands change that of the process. */
const folder = process.cwd();
const counts = noCounts();

/** Titles of those that have begun and not ended. */
const running = new Set<string>();

process.on('exit', () => {
  const file = process.env[countsVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify({ ...counts, cpuSeconds: cpuSeconds() }));
});

process.on(reportSignal, () => {
  const what = running.size > 0 ? [...running] : process.getActiveResourcesInfo();
  process.stdout.write(
    `✖ the process hangs ${running.size > 0 ? 'in' : 'beside its tests, with'} ${what.join(', ')}\n`,
  );
  process.exit(1);
});

export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const path: string[] = [];
  let measured: number | undefined;
  for await (const event of events) {
    // Both come when a test really begins and ends; the other events come in the order of the files.
    if (event.type === 'test:dequeue') {
      measured ??= cpuSeconds();
      if (event.data.type === 'test') running.add(event.data.name);
    }
    if (event.type === 'test:complete') running.delete(event.data.name);
    if (event.type === 'test:complete' && event.data.nesting === 0) {
      const now = cpuSeconds();
      const file = relative(folder, event.data.file ?? '');
      counts.cpuSecondsByFile[file] = (counts.cpuSecondsByFile[file] ?? 0) + now - (measured ?? 0);
      measured = now;
    }
    // An error that no test was waiting for, in Node's words.
    if (
      event.type === 'test:diagnostic' &&
      /^Error: .*asynchronous activity after the test ended/s.test(event.data.message)
    ) {
      counts.failed++;
      yield `✖ ${event.data.message}\n`;
    }
    if (event.type === 'test:start') path[event.data.nesting] = event.data.name;
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const { name, nesting, file = '', line, details, skip } = event.data;
    const isTest = details.type !== 'suite';
    const title = [...path.slice(0, nesting), name].join(' › ');
    if (event.type === 'test:pass') {
      // A file in which no test is written passes for one.
      if (resolve(folder, name) === file) {
        counts.failed++;
        yield `✖ ${name} has no test\n`;
      } else if (skip !== undefined) counts.skipped.push(`${title} (${skip === true ? 'no reason given' : skip})`);
      else if (isTest) counts.passed++;
      continue;
    }
    const error = event.data.details.error as Error & { failureType?: string };
    // A suite fails when a test in it did, and that one is reported by itself.
    if (error.failureType === 'subtestsFailed') continue;
    counts.failed++;
    yield `✖ ${relative(folder, file)}:${line}  ${title}\n${indented(inspect(error.cause ?? error))}\n`;
  }
  yield* unloadedFiles();
  counts.isComplete = true;
}

/** Node runs the tests above the line at which a file breaks off, and says nothing of those below. Importing it again rejects as it did. */
async function* unloadedFiles(): AsyncGenerator<string> {
  for (const file of process.argv.slice(1)) {
    try {
      await import(pathToFileURL(resolve(folder, file)).href);
    } catch (error) {
      counts.failed++;
      yield `✖ ${file} breaks off while it is loaded\n${indented(inspect(error))}\n`;
    }
  }
}

const indented = (text: string) => text.replaceAll(/^/gm, '    ');

/** Linux tells what children have used, once they were waited for. Elsewhere it is this process alone. */
function cpuSeconds(): number {
  const stat = '/proc/self/stat';
  if (!existsSync(stat)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
  // The name of the program, which is in brackets, may contain spaces. Times are in hundredths of a second.
  const fields = readFileSync(stat, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}
