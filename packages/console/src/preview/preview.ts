// Runs in the preview frame: loads the real widget, and answers its requests from the frame's fragment. When that changes,
// the widget is drawn again in the same element. It must import nothing: a page with an opaque origin may load classic
// scripts but no modules.
import type { IdentifiedVisitor, WidgetSettings } from '@roster/contract';
import type { RosterApi } from '@roster/widget';

interface Shown extends Omit<WidgetSettings, 'widgetUrl'> {
  botId: string;
  visitor: 'guest' | 'contact';
  scheme: 'light' | 'dark';
}

/** By this the widget is found: see its entry point. */
const marker = Symbol.for('roster.widget');

type Widget = RosterApi & { [marker]: { draw(settings: WidgetSettings): void } };

const contact: IdentifiedVisitor = { id: 'con_preview', name: 'Jane Doe', expiresAt: '9999-12-31T00:00:00.000Z' };

let shown = readFragment();

function readFragment(): Shown {
  return JSON.parse(decodeURIComponent(location.hash.slice(1)));
}

function settingsOf({ botId, visitor, scheme, ...settings }: Shown): WidgetSettings {
  // A colour that is still being typed is invalid, so the default is shown.
  const color = /^#[0-9a-f]{6}$/i.test(settings.color) ? settings.color : '#2f6fed';
  return { ...settings, color, widgetUrl: '' };
}

// Nothing is sent: what the preview shows is not saved yet, and its visitor does not exist.
window.fetch = async (input) =>
  Response.json({ data: String(input).endsWith('/widget') ? settingsOf(shown) : contact });

// The panel focuses itself when it opens, which would take the focus from the settings form.
HTMLElement.prototype.focus = () => {};

function widget(): Widget | undefined {
  return window.Roster as Widget | undefined;
}

function showVisitor(): void {
  const contacts = widget()?.auth.contacts;
  if (shown.visitor === 'contact') contacts?.login({ token: 'c:preview' });
  else contacts?.logout();
}

/** The widget follows the visitor's system. Here it follows the switch, and does not move when it is drawn again. */
function applyScheme(): void {
  document.documentElement.dataset['scheme'] = shown.scheme;
  const { adoptedStyleSheets = [] } = document.querySelector('chat-widget')?.shadowRoot ?? {};
  for (const sheet of adoptedStyleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSMediaRule)) continue;
      if (rule.conditionText.includes('prefers-color-scheme')) {
        rule.media.mediaText = shown.scheme === 'dark' ? 'all' : 'not all';
      } else if (rule.conditionText.includes('prefers-reduced-motion')) rule.media.mediaText = 'not all';
    }
  }
}

document.addEventListener('roster:ready', () => {
  widget()?.widget.open();
  applyScheme();
  showVisitor();
  addEventListener('hashchange', () => {
    const before = shown.visitor;
    shown = readFragment();
    widget()?.[marker].draw(settingsOf(shown));
    applyScheme();
    if (shown.visitor !== before) showVisitor();
  });
});

const script = document.createElement('script');
script.src = `../widget.js?bot=${encodeURIComponent(shown.botId)}`;
document.head.append(script);
