// What a page needs of the widget: its script, that script's hash, and the public settings of a bot.
import type { WidgetScript } from '@roster/widget/script';
import type { FirstUses } from '../account/last-used.ts';
import { toWidgetSettings } from '../answers/answers.ts';
import { ApiError } from '../http/api-error.ts';
import { isAllowedOrigin } from '../http/cross-origin.ts';
import { fileAnswer, type RequestHead } from '../http/file-answer.ts';
import type { Handlers } from '../http/operation-types.ts';
import { loadWidgetScript } from '../program/built-files.ts';

const cacheControl = {
  /** After five minutes a cached script is used once more while the current one is fetched, so no visitor waits for it. */
  current: 'public, max-age=300, stale-while-revalidate=86400',
  version: 'public, max-age=31536000, immutable',
};

export interface WidgetDeps {
  publicUrl: string;
  clock: () => number;
  firstUses: FirstUses;
}

export function widgetHandlers({ publicUrl, clock, firstUses }: WidgetDeps) {
  const { origin: ownOrigin } = new URL(publicUrl);

  return {
    retrieveWidget({ bot, request }) {
      const { origin } = request.headers;
      const isEmbedded = origin !== undefined && origin !== ownOrigin && isAllowedOrigin(bot, origin);
      if (isEmbedded) firstUses.note(bot.id, 'widgetLoaded', clock());
      return { body: { data: toWidgetSettings(publicUrl, bot) } };
    },

    async readWidgetScript({ request }) {
      return scriptAnswer(request, loadWidgetScript(), cacheControl.current);
    },

    async readWidgetModule({ request }) {
      return scriptAnswer(request, loadWidgetScript(), cacheControl.current);
    },

    async readWidgetVersion({ params, request }) {
      const script = loadWidgetScript();
      if (params.version !== script.version) {
        throw new ApiError(
          'not_found',
          'This server has another version of the widget. See /widget/integrity.json for the current one.',
        );
      }
      return scriptAnswer(request, script, cacheControl.version);
    },

    async readWidgetIntegrity() {
      const { version, integrity } = loadWidgetScript();
      return { body: { data: { version, url: `${publicUrl}/widget/${version}/widget.js`, integrity } } };
    },
  } satisfies Partial<Handlers>;
}

function scriptAnswer(request: RequestHead, script: WidgetScript, cache: string) {
  return fileAnswer(request, script, {
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': cache,
    etag: `W/"${script.version}"`,
    // Any page may embed it, also one that isolates itself, and browsers check `integrity` only on what they may read.
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
}
