// The docs as a site. Nothing here reads a cookie.
import { ApiError } from '../http/api-error.ts';
import { fileAnswer, hashedFileAnswer, type RequestHead } from '../http/file-answer.ts';
import type { Handlers } from '../http/operation-types.ts';
import { loadGuide } from '../program/built-files.ts';

/** The console's policy, without the frame: scripts and styles come from files of this origin alone. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': policy,
  'referrer-policy': 'same-origin',
};

export function guideHandlers() {
  return {
    async readGuide({ request }) {
      return pageAnswer(request, []);
    },

    async readGuidePage({ params, request }) {
      return pageAnswer(request, [params.page]);
    },

    async readGuideSubpage({ params, request }) {
      return pageAnswer(request, [params.section, params.subpage]);
    },

    async readGuideFile({ params, request }) {
      const file = loadGuide().file(params.guideFile);
      if (file === undefined) {
        throw new ApiError('not_found', 'This server has another version of the guide. Reload the page.');
      }
      return hashedFileAnswer(request, file);
    },
  } satisfies Partial<Handlers>;
}

function pageAnswer(request: RequestHead, names: string[]) {
  const guide = loadGuide();
  // With a slash at the end, or an escaped one within a name, the links of the page would lead elsewhere.
  const page = names.every((name) => /^[^/]+$/.test(name)) ? guide.page(names.join('/')) : undefined;
  if (page !== undefined) {
    return fileAnswer(request, page, { ...pageHeaders, etag: `W/"${guide.version}"`, 'content-type': page.type });
  }
  const isBrowser = String(request.headers.accept ?? '').includes('text/html');
  const notFound = guide.notFound(names.length === 1 ? 1 : 2);
  throw new ApiError('not_found', 'The guide has no such page.', {
    ...(isBrowser && { page: fileAnswer(request, notFound, { ...pageHeaders, 'content-type': notFound.type }) }),
  });
}
