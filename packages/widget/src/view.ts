// The user interface: a launcher in the corner and a panel above it, in a shadow root that isolates its styles from the
// page's. The root is open, for accessibility checkers; a closed one would protect nothing, since the page has the
// token.
import type { WidgetSettings } from '@roster/contract';
import type { RosterContact } from '../types/roster.d.ts';
import { type ChannelButton, channelButton } from './channels.ts';
import { colorsOf } from './contrast.ts';
import { addStyles, element, icon, initialOf } from './elements.ts';
import type { Host } from './host.ts';
import { greetingIn, type Language } from './languages.ts';
import mediaQueriesCss from './media-queries.css';
import panelCss from './panel.css';
import viewCss from './view.css';

const speechBubble = 'M5 5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-6l-5 4v-4H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2z';
const cross = 'M6 6l12 12M18 6L6 18';
/** What a new bot says until somebody writes a greeting. A test compares it with the contract's. */
const defaultGreeting = 'How can we help?';

export class View {
  readonly #host: Host;
  readonly #texts: Language;
  readonly #channels: ChannelButton[];
  readonly #launcher: HTMLButtonElement;
  readonly #panel: HTMLElement;
  readonly #hello = element('h2', { id: 'hello' });
  readonly #visitorMark = element('span', { class: 'mark', 'aria-hidden': 'true' });
  readonly #visitorName = element('bdi', {});
  readonly #visitorState = element('small', {});
  readonly #onOpen: () => void;
  /** The element that had the focus before the panel opened. */
  #returnTo: HTMLElement | undefined;

  constructor(host: Host, settings: WidgetSettings, texts: Language, onOpen: () => void) {
    const { color, position, channels = [] } = settings;
    // The accessible name must not be empty.
    const name = settings.name.trim() || 'Chat';
    this.#host = host;
    this.#texts = texts;
    this.#onOpen = onOpen;
    this.#channels = channels.flatMap((channel) => channelButton(channel, texts) ?? []);
    const close = element('button', { type: 'button', class: 'close', 'aria-label': texts.close }, [icon(cross)]);
    this.#panel = element(
      'section',
      {
        id: 'panel',
        role: 'dialog',
        tabindex: '-1',
        'aria-labelledby': 'bot',
        'aria-describedby': 'hello',
        hidden: '',
      },
      [
        element('div', { class: 'header' }, [
          element('span', { class: 'mark', 'aria-hidden': 'true' }, [initialOf(name)]),
          element('strong', { id: 'bot' }, [element('bdi', {}, [name])]),
          close,
        ]),
        element('div', { class: 'content' }, [
          element('div', { class: 'greeting', 'aria-live': 'polite' }, [this.#hello, ...greetingOf(settings, texts)]),
          ...this.#channelList(),
        ]),
        element('div', { class: 'footer' }, [
          this.#visitorMark,
          element('span', { class: 'lines' }, [this.#visitorName, this.#visitorState]),
        ]),
      ],
    );
    this.#launcher = element(
      'button',
      { type: 'button', class: 'launcher', 'aria-label': name, 'aria-haspopup': 'dialog', 'aria-expanded': 'false' },
      [icon(speechBubble), icon(cross)],
    );
    const { lang, dir } = texts;
    // A landmark, so that all content of the page is in one.
    const frame = element('div', { class: `frame ${position}`, role: 'region', 'aria-label': name, lang, dir }, [
      this.#panel,
      this.#launcher,
    ]);
    const { paint, text } = colorsOf(color);
    frame.style.setProperty('--bot', paint);
    frame.style.setProperty('--on-bot', text);

    this.#launcher.addEventListener('click', () => (this.#isOpen ? this.close() : this.open()));
    close.addEventListener('click', () => this.close());
    frame.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || !this.#isOpen) return;
      // The same key press must not close something of the page too.
      event.stopPropagation();
      this.close();
    });
    const root = host.openShadow();
    addStyles(root, viewCss + panelCss + mediaQueriesCss);
    root.append(frame);
  }

  #channelList(): HTMLElement[] {
    const items = this.#channels.map(({ link }) => element('li', {}, [link]));
    return items.length === 0 ? [] : [element('ul', { 'aria-label': this.#texts.channels, role: 'list' }, items)];
  }

  get #isOpen(): boolean {
    return !this.#panel.hidden;
  }

  showVisitor(contact: RosterContact | null): void {
    const { hello, helloName, guest, signedIn, signedOut } = this.#texts;
    const name = contact?.name ?? guest;
    const [before = '', after = ''] = helloName.split('{}');
    this.#hello.replaceChildren(...(contact === null ? [hello] : [before, element('bdi', {}, [name]), after]));
    this.#visitorMark.textContent = initialOf(name);
    this.#visitorMark.classList.toggle('known', contact !== null);
    this.#visitorName.textContent = name;
    this.#visitorState.textContent = contact === null ? signedOut : signedIn;
  }

  /** The first channel that takes a text gets it; nothing is sent. */
  prefill(text: string): void {
    this.#channels.find(({ prefill }) => prefill !== undefined)?.prefill?.(text);
  }

  open(): void {
    this.#host.attach();
    if (this.#isOpen) return;
    const focused = document.activeElement;
    const isOfPage = focused !== null && focused !== this.#host.element && focused !== document.body;
    this.#returnTo = isOfPage ? (focused as HTMLElement) : this.#launcher;
    this.#panel.hidden = false;
    this.#launcher.setAttribute('aria-expanded', 'true');
    // A panel that the page opens by itself must not take the focus from a visitor who is typing.
    if (!isTextInput(focused)) this.#panel.focus({ preventScroll: true });
    this.#onOpen();
  }

  close(): void {
    if (!this.#isOpen) return;
    const hadFocus = document.activeElement === this.#host.element;
    this.#panel.hidden = true;
    this.#launcher.setAttribute('aria-expanded', 'false');
    if (!hadFocus) return;
    const target = this.#returnTo?.isConnected ? this.#returnTo : this.#launcher;
    target.focus({ preventScroll: true });
  }

  show(): void {
    this.#host.attach();
    this.#launcher.hidden = false;
  }

  hide(): void {
    this.close();
    this.#launcher.hidden = true;
  }
}

/**
 * In the visitor's language if there is one; otherwise in one that nobody has named. Without channels a visitor cannot
 * answer, so the question that nobody wrote is not asked.
 */
function greetingOf({ greeting, greetings, channels = [] }: WidgetSettings, { tag }: Language): HTMLElement[] {
  const found = greetingIn(tag, greetings);
  const text = found ?? (greeting === defaultGreeting && channels.length === 0 ? '' : greeting);
  return text === '' ? [] : [element('p', { dir: 'auto', lang: found === undefined ? '' : tag }, [text])];
}

function isTextInput(focused: Element | null): boolean {
  return (
    focused instanceof HTMLElement && (focused.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(focused.tagName))
  );
}
