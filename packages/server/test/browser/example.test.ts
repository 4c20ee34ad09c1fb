// The example site, run by its one command: from a guest to a recognised visitor and back.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { browserDeadlineMs, openChromium } from './chromium.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

async function untilPrinted(child: ChildProcess, pattern: RegExp): Promise<string> {
  let printed = '';
  for await (const text of child.stdout?.setEncoding('utf8') ?? []) {
    printed += text;
    const found = pattern.exec(printed)?.[1];
    if (found !== undefined) return found;
  }
  throw new Error(`it printed only: ${printed}`);
}

test('npm run example shows the whole round trip: sign in, be recognised on every page, sign out', async (t) => {
  // Without npm between us and the process, so that the signal reaches it.
  const folder = await mkdtemp(join(tmpdir(), 'roster-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const env = { PATH: process.env['PATH'], PORT: '0', TMPDIR: folder };
  const child = spawn(process.execPath, ['examples/sign-in/start.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const url = await untilPrinted(child, /The shop is at (\S+) /);
  const browser = await openChromium(t);
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(browserDeadlineMs);
  const page = await context.newPage();
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('favicon')) violations.push(message.text());
  });
  const panelSays = async (greeting: string) => {
    const launcher = page.locator('chat-widget .launcher');
    if ((await launcher.getAttribute('aria-expanded')) === 'false') await launcher.click();
    await page.getByRole('heading', { name: greeting }).waitFor();
  };

  await page.goto(url);
  await panelSays('Hello!');
  await page.getByLabel('Name').fill('José <b>Núñez</b>');
  await page.getByLabel('Email').fill('jose@example.com');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await panelSays('Hello, José <b>Núñez</b>!');
  await page.getByRole('link', { name: 'Another page' }).click();
  await page.waitForURL('**/another-page');
  await panelSays('Hello, José <b>Núñez</b>!');
  await page.getByText('roster:login').waitFor();
  const token = await page.evaluate(() => Object.values(localStorage)[0] as string | undefined);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await panelSays('Hello!');

  // Signing out revoked the token: whoever has it is a guest.
  const refused = await page.evaluate(async (old) => {
    const { Roster } = window;
    if (Roster === undefined || Array.isArray(Roster)) return 'no widget';
    return Roster.auth.contacts.login({ token: old ?? '' }).catch((error) => error.code);
  }, token);
  assert.equal(refused, 'expired');
  assert.deepEqual(
    violations.filter((text) => !text.includes('401')),
    [],
  );

  await context.close();
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [0, null]);
  assert.deepEqual(await readdir(folder), [], 'its data are gone');
});
