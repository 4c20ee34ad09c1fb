// The console's pages and files, from memory. Nothing here looks at a cookie.

import { type ConsoleFile, loadConsole } from '@roster/console/files';
import type { operations } from '@roster/contract';
import { acceptsBrotli, acceptsGzip } from '../http/accept-encoding.ts';
import { ApiError } from '../http/api-error.ts';
import type { Call, Handler } from '../http/operation-types.ts';

type Operations = typeof operations;

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
  // Relative, so that a proxy may serve Roster below a path.
  const readRoot: Handler<Operations['readRoot']> = () => ({ headers: { Location: 'console' } });

  const readConsole: Handler<Operations['readConsole']> = async ({ request }) => {
    const { page, version } = await loadConsole();
    const headers = { ...pageHeaders(version, pagePolicy), 'cross-origin-opener-policy': 'same-origin' };
    return fileAnswer(page, request, headers);
  };

  const readConsolePreview: Handler<Operations['readConsolePreview']> = async ({ request }) => {
    const { preview, version } = await loadConsole();
    return fileAnswer(preview, request, pageHeaders(version, previewPolicy));
  };

  const readConsoleFile: Handler<Operations['readConsoleFile']> = async ({ params, request }) => {
    const { assets } = await loadConsole();
    const file = assets.get(params.file);
    if (file === undefined) {
      throw new ApiError('not_found', 'This server has another version of the console. Reload the page.');
    }
    return fileAnswer(file, request, { 'cache-control': 'public, max-age=31536000, immutable' });
  };

  return { readRoot, readConsole, readConsoleFile, readConsolePreview };
}

function pageHeaders(version: string, policy: string): Record<string, string> {
  return {
    'cache-control': 'no-cache',
    etag: `W/"${version}"`,
    'content-security-policy': policy,
    'referrer-policy': 'same-origin',
  };
}

type Request = Call<Operations['readConsole']>['request'];

function fileAnswer(
  { type, plain, gzip, br }: ConsoleFile,
  { headers: asked }: Request,
  headers: Record<string, string>,
) {
  const accepted = asked['accept-encoding'];
  const [body, encoding] = acceptsBrotli(accepted) ? [br, 'br'] : acceptsGzip(accepted) ? [gzip, 'gzip'] : [plain];
  return {
    body,
    headers: {
      ...headers,
      'content-type': type,
      vary: 'Accept-Encoding',
      ...(encoding !== undefined && { 'content-encoding': encoding }),
    },
  };
}
