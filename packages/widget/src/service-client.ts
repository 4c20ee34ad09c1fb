// The two requests of the widget to the service. The token is sent in a header, never in a URL.
import type { IdentifiedVisitor, WidgetSettings } from '@roster/contract';
import type { RosterContact } from '../types/roster.d.ts';
import { Failure } from './failure.ts';

const timeoutMs = 15_000;

export class ServiceClient {
  readonly #botUrl: string;

  constructor(serviceUrl: string, botId: string) {
    this.#botUrl = `${serviceUrl}/v1/bots/${encodeURIComponent(botId)}`;
  }

  async readSettings(): Promise<WidgetSettings> {
    const { status, data } = await this.#get<WidgetSettings>('/widget', {});
    if (status === 404) throw new Failure('unknown_bot', 'The bot in the script’s URL does not exist.');
    return data ?? unreachable(`it answered ${status}`);
  }

  async identify(token: string): Promise<RosterContact> {
    const headers = { Authorization: `Bearer ${token}` };
    const { status, data } = await this.#get<IdentifiedVisitor>('/auth/contact', headers);
    if (status === 401) throw new Failure('expired', 'The contact token has expired or was revoked.');
    return data ?? unreachable(`it answered ${status}`);
  }

  async #get<Data>(path: string, headers: Record<string, string>): Promise<{ status: number; data?: Data }> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const reply = await fetch(this.#botUrl + path, {
        headers,
        mode: 'cors',
        // The service needs neither cookies nor the page's URL, which may be private.
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
        cache: 'no-store',
        redirect: 'error',
        signal: abort.signal,
      });
      const { status } = reply;
      // The body is always read, because an unread one keeps its connection busy.
      const body = await reply.text();
      return status === 200 ? { status, data: (JSON.parse(body) as { data: Data }).data } : { status };
    } catch {
      // Browsers do not reveal the reason to a page: no network, or a response that CORS forbids.
      return unreachable(`it did not respond, or the bot does not allow ${location.origin}`);
    } finally {
      clearTimeout(timer);
    }
  }
}

function unreachable(reason: string): never {
  throw new Failure('unreachable', `The service cannot be reached: ${reason}.`);
}
