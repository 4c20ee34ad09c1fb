// The two questions that the widget asks the service. The token goes in a header and never into an address.
import type { IdentifiedVisitor, WidgetSettings } from '@roster/contract';
import type { RosterContact } from '../types/roster.d.ts';
import { Failure } from './failure.ts';

const timeoutMs = 15_000;

export class Service {
  readonly #botUrl: string;

  constructor(serviceUrl: string, botId: string) {
    this.#botUrl = `${serviceUrl}/v1/bots/${encodeURIComponent(botId)}`;
  }

  async readSettings(): Promise<WidgetSettings> {
    const { status, data } = await this.#ask<WidgetSettings>('/widget', {});
    if (status === 404) throw new Failure('unknown_bot', 'There is no bot with the id in the address of widget.js.');
    return data ?? unreachable(`it answered ${status}`);
  }

  async identify(token: string): Promise<RosterContact> {
    const headers = { Authorization: `Bearer ${token}` };
    const { status, data } = await this.#ask<IdentifiedVisitor>('/auth/contact', headers);
    if (status === 401) throw new Failure('expired', 'The contact token has expired or was revoked.');
    return data ?? unreachable(`it answered ${status}`);
  }

  async #ask<Data>(path: string, headers: Record<string, string>): Promise<{ status: number; data?: Data }> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const reply = await fetch(this.#botUrl + path, {
        headers,
        mode: 'cors',
        // Neither cookies nor the page's address, which may be private, are any of the service's business.
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        redirect: 'error',
        signal: abort.signal,
      });
      const { status } = reply;
      // Read in any case: a body that nobody reads keeps its connection busy.
      const body = await reply.text();
      return status === 200 ? { status, data: (JSON.parse(body) as { data: Data }).data } : { status };
    } catch {
      // Browsers do not tell a page why: no network, or an answer that it may not read.
      return unreachable(`it did not answer, or does not allow ${location.origin}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

function unreachable(reason: string): never {
  throw new Failure('unreachable', `The service cannot be reached: ${reason}.`);
}
