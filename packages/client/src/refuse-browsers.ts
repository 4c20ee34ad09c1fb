// Keeps the organization's secret out of browsers, where every visitor could read it.
import { UsageError } from './errors.ts';

/** The globals that identify a platform. All may be missing. */
interface Platform {
  process?: { versions?: { node?: string } };
  Deno?: unknown;
  Bun?: unknown;
  document?: unknown;
  importScripts?: unknown;
}

export function refuseBrowsers(platform: Platform = globalThis as Platform): void {
  // Tests on Node may define a document (jsdom), so the globals of server runtimes take precedence.
  const isServer = platform.process?.versions?.node !== undefined || 'Deno' in platform || 'Bun' in platform;
  if (isServer) return;
  // A page has a document, and a worker of a page has importScripts. Edge runtimes have neither.
  if (platform.document !== undefined || typeof platform.importScripts === 'function') {
    throw new UsageError(
      'The Roster client does not run in a browser: everybody could read the secret of your organization there. ' +
        'Call it on your server, and give the browser a contact token (auth.contacts.tokenize).',
    );
  }
}
