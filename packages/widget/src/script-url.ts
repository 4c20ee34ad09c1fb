// Reads the script's own URL: the service, the bot, and perhaps a contact token.
import { Failure } from './failure.ts';

export interface ScriptUrl {
  /** Without a trailing slash. */
  serviceUrl: string;
  botId: string | null;
  token: string | null;
}

export function readScriptUrl(): ScriptUrl {
  const script = findScript();
  if (script === null) throw new Failure('unknown_bot', 'The widget cannot find the script tag that loaded it.');
  const url = new URL(script.src);
  const { searchParams } = url;
  const token = searchParams.get('token');
  if (token !== null) {
    searchParams.delete('token');
    forgetToken(script, url.href);
  }
  // The versioned URL is two folders deeper: /widget/<version>/widget.js.
  const path = url.pathname.replace(/(?:\/widget\/[^/]+)?\/[^/]*$/, '');
  return { serviceUrl: url.origin + path, botId: searchParams.get('bot'), token };
}

/**
 * `currentScript` is null when the page loads the script as a module. Of several tags, one that still has its token has
 * not run yet.
 */
function findScript(): HTMLScriptElement | null {
  const { currentScript } = document;
  if (currentScript instanceof HTMLScriptElement && currentScript.src !== '') return currentScript;
  const tags = (query: string) =>
    document.querySelector<HTMLScriptElement>(`script[src*="/widget.js?"]${query},script[src*="/widget.mjs?"]${query}`);
  return tags('[src*="token="]') ?? tags('');
}

/** Tools that record the DOM must not capture the token. Changing the URL of a running script does not reload it. */
function forgetToken(script: HTMLScriptElement, addressWithout: string): void {
  try {
    script.src = addressWithout;
  } catch {
    // A page that requires trusted types forbids setting a script's URL, but allows removing it.
    script.removeAttribute('src');
  }
}
