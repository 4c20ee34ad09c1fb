// What a page needs of the widget: its script, that script's hash, and the public settings of a bot.
import type { operations } from '@roster/contract';
import { loadWidgetScript, type WidgetScript } from '@roster/widget/script';
import { acceptsGzip } from '../http/accept-encoding.ts';
import { ApiError } from '../http/api-error.ts';
import type { Call, Handler } from '../http/operation-types.ts';
import { widgetUrlOf } from './widget-url.ts';

type Operations = typeof operations;

const cacheControl = {
  /** After five minutes the old one may serve once more while the current one is fetched: no visitor waits for it. */
  current: 'public, max-age=300, stale-while-revalidate=86400',
  version: 'public, max-age=31536000, immutable',
};

export function widgetHandlers({ publicUrl }: { publicUrl: string }) {
  const retrieveWidget: Handler<Operations['retrieveWidget']> = ({ bot }) => {
    const { id, name, greeting, color, position } = bot;
    return { body: { data: { name, greeting, color, position, widgetUrl: widgetUrlOf(publicUrl, id) } } };
  };

  const readWidgetScript: Handler<Operations['readWidgetScript']> = async (call) => {
    return scriptAnswer(await loadWidgetScript(), call, cacheControl.current);
  };

  const readWidgetVersion: Handler<Operations['readWidgetVersion']> = async (call) => {
    const script = await loadWidgetScript();
    if (call.params.version !== script.version) {
      throw new ApiError('not_found', 'This server has another version of the widget. See /widget/integrity.json.');
    }
    return scriptAnswer(script, call, cacheControl.version);
  };

  const readWidgetIntegrity: Handler<Operations['readWidgetIntegrity']> = async () => {
    const { version, integrity } = await loadWidgetScript();
    return { body: { data: { version, url: `${publicUrl}/widget/${version}/widget.js`, integrity } } };
  };

  return { retrieveWidget, readWidgetScript, readWidgetVersion, readWidgetIntegrity };
}

function scriptAnswer(
  script: WidgetScript,
  { request }: Pick<Call<Operations['readWidgetScript']>, 'request'>,
  cache: string,
) {
  const isCompressed = acceptsGzip(request.headers['accept-encoding']);
  return {
    body: isCompressed ? script.gzipped : script.plain,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': cache,
      etag: `W/"${script.version}"`,
      vary: 'Accept-Encoding',
      // Any page may embed it, also one that isolates itself, and browsers check `integrity` only on what they may read.
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    },
  };
}
