// The console's pages and files, from memory. Nothing here reads a cookie.
import { ApiError } from '../http/api-error.ts';
import { fileAnswer, hashedFileAnswer } from '../http/file-answer.ts';
import type { Handlers } from '../http/operation-types.ts';
import { loadConsole } from '../program/built-files.ts';

/**
 * Scripts and styles come from files of this origin alone: none is inline, none is made from text, and no text becomes
 * markup. Nothing is fetched from elsewhere, and no page may frame the console.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The preview runs the widget in an origin of its own, from which it reaches nothing of the console, however it is opened. */
const previewPolicy = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');

export function consoleHandlers() {
  return {
    // Relative, so that a proxy may serve Roster below a path.
    readRoot: () => ({ headers: { Location: 'console' } }),

    async readConsole({ request }) {
      const { page, version } = loadConsole();
      const headers = { ...pageHeaders(version, pagePolicy), 'cross-origin-opener-policy': 'same-origin' };
      return fileAnswer(request, page, { ...headers, 'content-type': page.type });
    },

    async readConsolePreview({ request }) {
      const { preview, version } = loadConsole();
      return fileAnswer(request, preview, { ...pageHeaders(version, previewPolicy), 'content-type': preview.type });
    },

    async readConsoleFile({ params, request }) {
      const { assets } = loadConsole();
      const file = assets.get(params.file);
      if (file === undefined) {
        throw new ApiError('not_found', 'This server has another version of the console. Reload the page.');
      }
      return hashedFileAnswer(request, file);
    },
  } satisfies Partial<Handlers>;
}

function pageHeaders(version: string, policy: string): Record<string, string> {
  return {
    'cache-control': 'no-cache',
    etag: `W/"${version}"`,
    'content-security-policy': policy,
    'referrer-policy': 'same-origin',
  };
}
