// Runs in the preview frame: loads the real widget, and answers its request for settings from the frame's fragment. It
// must import nothing: a page with an opaque origin may load classic scripts but no modules.
import type { WidgetSettings } from '@roster/contract';
import type {} from '@roster/widget';

interface Shown extends Omit<WidgetSettings, 'widgetUrl'> {
  botId: string;
}

const { botId, ...shown } = JSON.parse(decodeURIComponent(location.hash.slice(1))) as Shown;

/** A colour that is still being typed is invalid, so the default is shown. */
const color = /^#[0-9a-f]{6}$/i.test(shown.color) ? shown.color : '#2f6fed';
const answer = { data: { ...shown, color, widgetUrl: '' } satisfies WidgetSettings };

const realFetch = window.fetch.bind(window);
window.fetch = (input, init) =>
  String(input).endsWith('/widget') ? Promise.resolve(Response.json(answer)) : realFetch(input, init);

// The panel focuses itself when it opens, which would take the focus from the settings form.
HTMLElement.prototype.focus = () => {};

document.addEventListener('roster:ready', () => {
  const { Roster } = window;
  if (Roster !== undefined && !Array.isArray(Roster)) Roster.widget.open();
});

const script = document.createElement('script');
script.src = `../widget.js?bot=${encodeURIComponent(botId)}`;
document.head.append(script);
