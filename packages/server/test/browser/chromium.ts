// The browser that most tests run in.
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContext, chromium as chromiumDriver } from 'playwright-core';
import { chromium, ensureProgram } from '../installed-program.ts';

/** For every wait in a browser: it ends a test that has failed already, however busy the machine is. */
export const browserDeadlineMs = 300_000;

let shared: { browser: Promise<Browser>; users: number } | undefined;

/**
 * Lasts until the test ends, or the suite when `t` is the suite's `after`. Tests that share a process share the browser, whose start
 * takes a second of the processor. What one of them must not see of another is in contexts of their own.
 */
export function openChromium(t: Pick<TestContext, 'after'>): Promise<Browser> {
  shared ??= { browser: launchChromium(), users: 0 };
  const opened = shared;
  opened.users++;
  t.after(async () => {
    if (--opened.users > 0) return;
    shared = undefined;
    await (await opened.browser).close();
  });
  return opened.browser;
}

function launchChromium(): Promise<Browser> {
  // Without its sandbox, which a container does not offer: it sees only our own pages.
  return chromiumDriver.launch({
    executablePath: ensureProgram(chromium),
    chromiumSandbox: false,
    timeout: browserDeadlineMs,
  });
}

/**
 * Requests of the context's pages that give up after one of these times do so after that of every other wait: a test
 * that holds a request back on a busy machine may take longer.
 */
export async function stretchTimeouts(context: BrowserContext, ...timeoutsMs: number[]): Promise<void> {
  await context.addInitScript(
    ([timeoutsMs, patientMs]) => {
      const { setTimeout: start } = globalThis;
      const startPatiently = (run: () => void, ms?: number, ...rest: []) =>
        start(run, ms !== undefined && timeoutsMs.includes(ms) ? patientMs : ms, ...rest);
      Object.assign(globalThis, { setTimeout: startPatiently });
    },
    [timeoutsMs, browserDeadlineMs] as const,
  );
}

/** A test may be answering the last request of a page, by `page.route`: what fails for the close is no fault. */
export async function closeContext(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.close();
}
