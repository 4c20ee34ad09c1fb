// The console as members use it: the whole service, a real browser, and members who use it.
// What the browser tests and the screenshots share.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Role } from '@roster/contract';
import { loadConfig } from '@roster/server/operator';
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { openOperator } from '../../cli/src/operator/open-operator.ts';
import type { Operator } from '../../cli/src/operator/operator.ts';
import { type FirstRun, makeSetUpLink } from '../../server/src/process/first-run.ts';
import { browserDeadlineMs, closeContext, openChromium, stretchTimeouts } from '../../server/test/browser/chromium.ts';
import { type HomeHere, makeHomeHere, type ServerHere } from '../../server/test/process/serve-here.ts';
import { callFirstBot } from '../../server/test/process/server-process.ts';
import { unlessBusy } from '../../server/test/process/unless-busy.ts';
import { wholeFile } from '../../server/test/whole-file.ts';

export { wholeFile };

export const password = 'correct horse battery';

/** After which the console gives up on a request, and on one for which the server waits for events. */
const consoleTimeoutsMs = [30_000, 55_000];

/** What a browser says about itself. */
export const userAgents = {
  chrome: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36',
  firefox: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0',
  safari:
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1',
} as const;

export interface Account {
  email: string;
  password: string;
  cookies: { name: string; value: string }[];
  csrfToken: string;
}

export class ConsoleWorld {
  readonly home: HomeHere;
  readonly server: ServerHere & { firstRun: FirstRun };
  readonly browser: Browser;
  /** The link that the first start prints. */
  readonly setUpUrl: string;

  private constructor(home: HomeHere, server: ServerHere & { firstRun: FirstRun }, browser: Browser, setUpUrl: string) {
    this.home = home;
    this.server = server;
    this.browser = browser;
    this.setUpUrl = setUpUrl;
  }

  static async start(
    t: Pick<TestContext, 'after'> = wholeFile,
    env: Record<string, string> = {},
  ): Promise<ConsoleWorld> {
    const home = await makeHomeHere(t);
    const [server, browser] = await Promise.all([home.startFirst(env), openChromium(t)]);
    const printed = await makeSetUpLink(server.deps, server.url);
    const setUpUrl = /\S+\/console#\/setup\/\S+/.exec(printed ?? '')?.[0];
    assert.ok(setUpUrl, `no link to set up was printed: ${printed}`);
    return new ConsoleWorld(home, server, browser, setUpUrl);
  }

  get url(): string {
    return this.server.url;
  }

  get botId(): string {
    return this.server.firstRun.botId;
  }

  /** What the operator's commands use, by the socket of the server. */
  async openOperator(t: Pick<TestContext, 'after'>): Promise<Operator> {
    const { dataDir, folder } = this.home;
    const operator = await openOperator(loadConfig({}, { ROSTER_DATA_DIR: dataDir }, folder));
    t.after(() => operator.close());
    return operator;
  }

  /** Calls an operation of the first bot with the first secret, as an organization's server does. */
  async callBot(method: string, path: string, body?: unknown) {
    const reply = await unlessBusy(() => callFirstBot(this.url, this.server.firstRun, method, path, body));
    const text = await reply.text();
    return { status: reply.status, json: text === '' ? undefined : JSON.parse(text) };
  }

  /** Without a browser, for tests that are about something else. */
  async setUp(name = 'Ada Owner', email = 'ada@example.com'): Promise<Account> {
    const code = this.setUpUrl.replace(/.*\//, '');
    return this.enter('setup', { code, organizationName: 'Example Ltd', name, email, password }, email);
  }

  /** Another member, by an invitation of the account. */
  async invite(owner: Account, role: Role, name: string, email: string): Promise<Account> {
    const { data } = await this.callAccount(owner, 'POST', 'invitations', { email, role });
    const token = (data as { link: string }).link.replace(/.*\//, '');
    return this.enter('invitations/accept', { token, name, password }, email);
  }

  /** Another session of the same member. */
  async signIn({ email, password }: Account, userAgent?: string): Promise<Account> {
    return this.enter('session', { email, password }, email, userAgent);
  }

  async callAccount(account: Account, method: string, path: string, body?: unknown): Promise<{ data?: unknown }> {
    let reply = await this.#sendAs(account, method, path, body);
    let text = await reply.text();
    // In a test that takes long the password was confirmed too long ago for some operations. Another session, because confirming it
    // would replace the token of this one, which a browser may have.
    if (reply.status === 403 && text.includes('"password_required"')) {
      reply = await this.#sendAs(await this.signIn(account), method, path, body);
      text = await reply.text();
    }
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  }

  #sendAs(account: Account, method: string, path: string, body: unknown): Promise<Response> {
    return unlessBusy(() =>
      fetch(`${this.url}/v1/account/${path}`, {
        method,
        headers: {
          origin: this.url,
          cookie: account.cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
          'roster-csrf': account.csrfToken,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  }

  async enter(
    path: string,
    body: Record<string, string>,
    email: string,
    userAgent: string = userAgents.chrome,
  ): Promise<Account> {
    const reply = await unlessBusy(() =>
      fetch(`${this.url}/v1/account/${path}`, {
        method: 'POST',
        headers: { origin: this.url, 'content-type': 'application/json', 'user-agent': userAgent },
        body: JSON.stringify(body),
      }),
    );
    const answer = (await reply.json()) as { data: { csrfToken: string } };
    assert.equal(reply.status, 200, JSON.stringify(answer));
    const cookies = reply.headers.getSetCookie().map((line) => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      return { name, value };
    });
    return { email, password, cookies, csrfToken: answer.data.csrfToken };
  }
}

/** The requests but those for which the server was too busy, which a page sends again. */
export async function withoutRefusals(requests: Request[]): Promise<Request[]> {
  const statuses = await Promise.all(requests.map(async (request) => (await request.response())?.status()));
  return requests.filter((_, at) => statuses[at] !== 503);
}

/**
 * In the page: records every notice. Notices disappear after a few seconds, in which a test on a busy machine may not
 * have looked. As text, because programs that import this file are not type-checked with a document.
 */
const recordNotices = `
  globalThis.notices = [];
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes) {
      for (const node of addedNodes) {
        const element = node instanceof Element ? node : target;
        if (element.closest?.('[role=status]')) notices.push(node.textContent);
      }
    }
  }).observe(document, { subtree: true, childList: true });
`;

/** In the page: reports what the content security policy refuses, also where the code that tried it carries on. */
const reportViolations = `
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber, sample }) => {
    console.error('Policy violation: ' + [violatedDirective, blockedURI, sourceFile, lineNumber, sample].join(' '));
  });
`;

/** A member with a browser of their own, who records everything that should not happen there. */
export class Person {
  readonly world: ConsoleWorld;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors, refusals of the page's policy, dialogs, and requests to other origins. */
  readonly troubles: string[];

  private constructor(world: ConsoleWorld, context: BrowserContext, page: Page, troubles: string[] = []) {
    this.world = world;
    this.context = context;
    this.page = page;
    this.troubles = troubles;
    page.on('pageerror', (error) => this.troubles.push(`error: ${error}`));
    page.on('dialog', (dialog) => {
      this.troubles.push(`dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
    page.on('console', (message) => {
      if (/Policy violation|Content Security Policy|Trusted|Warning:|React/i.test(message.text()))
        this.troubles.push(message.text());
    });
    page.on('request', (request: Request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'blob:' && protocol !== 'data:' && origin !== world.url)
        this.troubles.push(`request: ${request.url()}`);
    });
  }

  static async arrive(
    t: Pick<TestContext, 'after'>,
    world: ConsoleWorld,
    { account, ...options }: BrowserContextOptions & { account?: Account } = {},
  ): Promise<Person> {
    const context = await world.browser.newContext({
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'UTC',
      ...options,
    });
    context.setDefaultTimeout(browserDeadlineMs);
    await stretchTimeouts(context, ...consoleTimeoutsMs);
    // As in browsers that cannot write to a file themselves: a test cannot answer the dialog.
    await context.addInitScript(() => Reflect.deleteProperty(globalThis, 'showSaveFilePicker'));
    await context.addInitScript(recordNotices);
    await context.addInitScript(reportViolations);
    const person = new Person(world, context, await context.newPage());
    if (account !== undefined) await person.takeSession(account);
    t.after(async () => {
      await closeContext(context);
      person.hadNoTrouble();
    });
    return person;
  }

  /** On the members page: invites a viewer, who joins in a browser of their own. */
  async welcomeViewer(t: Pick<TestContext, 'after'>, name: string, email: string): Promise<Person> {
    await this.press('Invite');
    await this.fill({ 'Email *': email });
    await this.page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await this.press('Create link');
    const link = await this.page.getByLabel('Invitation link', { exact: true }).innerText();
    await this.press('Done');
    const viewer = await Person.arrive(t, this.world);
    await viewer.goTo(new URL(link).hash.slice(1));
    await viewer.fill({ 'Your name *': name, 'Password *': password });
    await viewer.press('Join');
    await viewer.sees('Home');
    return viewer;
  }

  /** Another tab of the same browser. */
  async openTab(): Promise<Person> {
    return new Person(this.world, this.context, await this.context.newPage(), this.troubles);
  }

  /** Replaces the session in the browser's cookie, without notice to its pages. */
  async takeSession({ cookies }: Account): Promise<void> {
    await this.context.addCookies(cookies.map((cookie) => ({ ...cookie, url: this.world.url, httpOnly: true })));
  }

  hadNoTrouble(): void {
    assert.deepEqual(this.troubles, []);
  }

  async goTo(place: string): Promise<void> {
    await this.page.goto(`${this.world.url}/console#${place}`);
    // The console hears of another fragment in a task of its own, which comes before this one.
    await this.page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  }

  async sees(title: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
  }

  /** Comes back from another window, whereupon the page reads what it shows anew. */
  async looksAgain(): Promise<void> {
    await this.page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
  }

  /** Until everything that the page shows has been loaded. As long as the console asks who is signed in, the page has no title. */
  async hasLoaded(): Promise<void> {
    await this.page.locator('h1:not(:empty)').first().waitFor();
    await this.page.locator('[aria-label=Loading], [aria-busy=true]').first().waitFor({ state: 'detached' });
  }

  async fill(fields: Record<string, string>): Promise<void> {
    for (const [label, value] of Object.entries(fields)) {
      const field = this.page.getByLabel(label, { exact: true });
      await field.waitFor();
      // A dialog moves the focus to its first field a moment after it has opened. What is typed before goes there.
      const dialog = this.page.locator('[aria-modal=true]', { has: field });
      if ((await dialog.count()) > 0) await dialog.locator(':focus').waitFor();
      await field.fill(value);
    }
  }

  async press(name: string): Promise<void> {
    await this.page.getByRole('button', { name, exact: true }).click();
  }

  /** Waits for a notice, or finds it among those shown since the last one that was waited for. */
  async seesNotice(text: string): Promise<void> {
    const isSeen = (wanted: string) => {
      const { notices } = globalThis as unknown as { notices: string[] };
      return notices.splice(0, notices.findIndex((each) => each.includes(wanted)) + 1).length > 0;
    };
    // Not by frames, which is how Playwright looks otherwise: a tab behind another one may be drawn no more.
    await this.page.waitForFunction(isSeen, text, { polling: 100 }).catch(async (cause) => {
      throw new Error(`no notice "${text}" on: ${await this.page.locator('body').innerText()}`, { cause });
    });
  }

  async choose(menu: string, item: string): Promise<void> {
    await this.press(menu);
    await this.page.getByRole('menuitem', { name: item, exact: true }).click();
  }
}
