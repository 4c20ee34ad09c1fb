// Reads what the script's own address says: where the service is, which bot, and perhaps a contact token.
import { Failure } from './failure.ts';

export interface OwnAddress {
  /** Of the service, without a slash at the end. */
  serviceUrl: string;
  botId: string | null;
  token: string | null;
}

export function readOwnAddress(): OwnAddress {
  const script = findOwnScript();
  if (script === null) throw new Failure('unknown_bot', 'widget.js cannot find the script tag that it came from.');
  const url = new URL(script.src);
  const { searchParams } = url;
  const token = searchParams.get('token');
  if (token !== null) {
    searchParams.delete('token');
    forgetToken(script, url.href);
  }
  // Below the versioned address the service begins two folders higher.
  const path = url.pathname.replace(/(?:\/widget\/[^/]+)?\/[^/]*$/, '');
  return { serviceUrl: url.origin + path, botId: searchParams.get('bot'), token };
}

/** As a module the script is not told which element it came from. */
function findOwnScript(): HTMLScriptElement | null {
  const { currentScript } = document;
  if (currentScript instanceof HTMLScriptElement && currentScript.src !== '') return currentScript;
  return document.querySelector<HTMLScriptElement>('script[src*="/widget.js?"]');
}

/** Recorders of the page's DOM must not find the token later. A script that runs already is not loaded again. */
function forgetToken(script: HTMLScriptElement, addressWithout: string): void {
  try {
    script.src = addressWithout;
  } catch {
    // A page that requires trusted types lets nobody set an address, but does not mind its removal.
    script.removeAttribute('src');
  }
}
