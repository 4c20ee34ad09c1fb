// A customer's site on an origin of its own, and visitors who come to it: what the browser tests of the widget share.
// The service runs on another loopback port, so that every rule for other origins is in force.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Contact } from '@roster/contract';
import type { RosterContact } from '@roster/widget';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import type { Bot } from '../../src/store/store.ts';
import { callerOf, createContact, startServer, type TestServer } from '../harness.ts';
import { wholeFile } from '../http/every-operation.ts';
import { sampleBot, sampleContext } from '../sample.ts';
import { browserDeadlineMs, closeContext, openChromium, stretchTimeouts } from './chromium.ts';

/** After which the widget gives up on a request. */
const widgetTimeoutMs = 15_000;

export interface SitePage {
  html: string;
  headers?: Record<string, string>;
  type?: string;
}

export interface Site {
  service: TestServer;
  siteUrl: string;
  /** By path. */
  pages: Map<string, SitePage>;
}

export interface World extends Site {
  browser: Browser;
}

/** For all tests of a file. */
export async function startWorld(): Promise<World> {
  return { ...(await startSite()), browser: await openChromium(wholeFile) };
}

/** For tests that bring another browser. */
export async function startSite(): Promise<Site> {
  const service = await startServer(wholeFile);
  const pages = new Map<string, SitePage>();
  const site = createServer((request, response) => {
    const page = pages.get(new URL(request.url ?? '/', 'http://site').pathname);
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': page?.type ?? 'text/html; charset=utf-8',
      ...page?.headers,
    });
    response.end(page?.html);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  wholeFile.after(() => {
    site.closeAllConnections();
    site.close();
  });
  return { service, siteUrl: `http://127.0.0.1:${(site.address() as AddressInfo).port}`, pages };
}

/** Adds a bot of its own, so that no test sees another's settings. */
export async function addBot({ service }: Site, changes: Partial<Bot> = {}): Promise<Bot> {
  const bot = sampleBot(service.mine.organizationId, { name: 'Support', ...changes });
  await service.store.createBot(bot, undefined, sampleContext());
  return bot;
}

export interface KnownContact extends Contact {
  token: string;
}

/** A contact of the bot, with a token for the widget. */
export async function addContact({ service }: Site, bot: Bot, fields: Partial<Contact> = {}): Promise<KnownContact> {
  const call = callerOf(service.url, { ...service.mine, bot });
  const contact = await createContact(call, fields);
  return { ...contact, token: await mintToken({ service }, bot, contact) };
}

export async function mintToken({ service }: Pick<Site, 'service'>, bot: Bot, { id }: Contact): Promise<string> {
  const call = callerOf(service.url, { ...service.mine, bot });
  return (await call('POST', 'auth/contact', { body: { id } })).json.token;
}

/** The script tag of the docs. */
export function scriptTag({ service }: Site, bot: Bot, token?: string): string {
  const query = new URLSearchParams({ bot: bot.id, ...(token !== undefined && { token }) });
  return `<script async src="${service.url}/widget.js?${query}"></script>`;
}

export function pageOf(head: string, body = '<h1>A shop</h1>'): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>${head}</head><body>${body}</body></html>`;
}

export type PageEvent = [name: string, detail: unknown];

/** One visitor with a browser of their own: what they see, and the events that their pages receive. */
export class Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly requests: Request[] = [];
  /** Errors that the page's owner would find in their own monitoring. */
  readonly pageErrors: string[] = [];
  readonly #unanswered = new Set<Request>();
  readonly #onAnswer = new EventEmitter();

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    context.on('request', (request) => {
      this.requests.push(request);
      this.#unanswered.add(request);
    });
    const end = (request: Request) => {
      this.#unanswered.delete(request);
      this.#onAnswer.emit('answer');
    };
    context.on('requestfinished', end);
    context.on('requestfailed', end);
    page.on('pageerror', (error) => this.pageErrors.push(String(error)));
  }

  static async arrive(
    t: Pick<TestContext, 'after'>,
    { browser }: World,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<Visitor> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(browserDeadlineMs);
    t.after(() => closeContext(context));
    await stretchTimeouts(context, widgetTimeoutMs);
    await context.addInitScript(() => {
      const received: PageEvent[] = [];
      Object.defineProperty(window, 'received', { value: received });
      for (const name of ['ready', 'login', 'logout', 'expired', 'error']) {
        document.addEventListener(`roster:${name}`, (event) => received.push([name, (event as CustomEvent).detail]));
      }
    });
    return new Visitor(context, await context.newPage());
  }

  /** Puts a page on the site, and goes there. */
  async visit(world: Site, html: string, headers: Record<string, string> = {}): Promise<void> {
    world.pages.set('/', { html, headers });
    await this.page.goto(world.siteUrl);
  }

  /** The widget's events since the page was loaded, in order. */
  events(): Promise<PageEvent[]> {
    return this.page.evaluate(() => (window as unknown as { received: PageEvent[] }).received);
  }

  /** Waits until the page has received exactly these events, by name. */
  async receives(...names: string[]): Promise<void> {
    const isThere = (count: number) => (window as unknown as { received: PageEvent[] }).received.length >= count;
    // When it never comes, the comparison below says what came instead.
    const missing = await this.page.waitForFunction(isThere, names.length).then(
      () => undefined,
      (error: Error) => error,
    );
    const received = (await this.events()).map(([name]) => name);
    assert.deepEqual(received, names);
    assert.ifError(missing);
  }

  /** Opens the panel by a click, and reads it. */
  async readPanel(): Promise<string> {
    const launcher = this.page.locator('chat-widget .launcher');
    if ((await launcher.getAttribute('aria-expanded')) === 'false') await launcher.click();
    return (await this.page.getByRole('dialog').innerText()).replaceAll(/\s*\n\s*/g, ' | ');
  }

  async sees(name: string): Promise<void> {
    await this.page.locator('chat-widget h2', { hasText: name }).waitFor({ state: 'attached' });
    const text = await this.readPanel();
    assert.ok(text.includes(`Hello, ${name}!`), text);
    assert.ok(text.includes('You are signed in'), text);
  }

  async seesGuest(): Promise<void> {
    await this.page.locator('chat-widget h2', { hasText: /^Hello!$/ }).waitFor({ state: 'attached' });
    const text = await this.readPanel();
    assert.ok(text.includes('Hello!') && text.includes('Guest') && text.includes('You are not signed in'), text);
  }

  /** Calls login on the page as its own code does. Resolves with the contact or with the code of the rejection. */
  login(token: string): Promise<RosterContact | string> {
    return this.page.evaluate(async (value) => {
      const { Roster } = window;
      if (Roster === undefined || Array.isArray(Roster)) throw new Error('the widget is not there');
      return Roster.auth.contacts.login({ token: value }).catch((error) => error.code as string);
    }, token);
  }

  logout(): Promise<void> {
    return this.page.evaluate(() => {
      const { Roster } = window;
      if (Roster === undefined || Array.isArray(Roster)) throw new Error('the widget is not there');
      return Roster.auth.contacts.logout();
    });
  }

  /** Holds identification requests, of one token or of all, until the returned function is called. */
  async holdIdentification(token = ''): Promise<() => void> {
    const held = Promise.withResolvers<void>();
    await this.page.route('**/auth/contact', async (route) => {
      if (route.request().headers()['authorization']?.includes(token)) await held.promise;
      await route.continue();
    });
    return held.resolve;
  }

  /** Until everything that the page has asked for is answered, and what follows from the answers too. */
  async isAnswered(): Promise<void> {
    do {
      while (this.#unanswered.size > 0) await once(this.#onAnswer, 'answer');
      // By the time that the page answers this, it has begun what the last answer led to.
      await this.page.evaluate(() => undefined);
    } while (this.#unanswered.size > 0);
  }

  storage(): Promise<Record<string, string>> {
    return this.page.evaluate(() => ({ ...localStorage }));
  }
}
