// The user interface: a launcher in the corner and a panel above it, in a shadow root that isolates its styles from the
// page's. The root is open, for accessibility checkers; a closed one would protect nothing, since the page has the
// token.
import type { WidgetSettings } from '@roster/contract';
import type { RosterContact } from '../types/roster.d.ts';
import { colorsOf } from './contrast.ts';
import { addStyles, element, icon, initialOf } from './elements.ts';
import mediaQueriesCss from './media-queries.css';
import panelCss from './panel.css';
import viewCss from './view.css';

const speechBubble = 'M5 5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-6l-5 4v-4H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2z';
const cross = 'M6 6l12 12M18 6L6 18';

export class View {
  readonly #host = document.createElement('roster-widget');
  readonly #launcher: HTMLButtonElement;
  readonly #panel: HTMLElement;
  readonly #hello = element('h2', { id: 'hello', dir: 'auto' });
  readonly #visitorMark = element('span', { class: 'mark', 'aria-hidden': 'true' });
  readonly #visitorName = element('bdi', {});
  readonly #visitorState = element('small', {});
  readonly #onOpen: () => void;
  /** The element that had the focus before the panel opened. */
  #returnTo: HTMLElement | undefined;

  constructor(settings: WidgetSettings, onOpen: () => void) {
    const { greeting, color, position } = settings;
    // The accessible name must not be empty.
    const name = settings.name.trim() || 'Chat';
    this.#onOpen = onOpen;
    const close = element('button', { type: 'button', class: 'close', 'aria-label': 'Close' }, [icon(cross)]);
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
        element('header', {}, [
          element('span', { class: 'mark', 'aria-hidden': 'true' }, [initialOf(name)]),
          element('strong', { id: 'bot', dir: 'auto' }, [name]),
          close,
        ]),
        element('div', { class: 'greeting', 'aria-live': 'polite' }, [
          this.#hello,
          ...(greeting === '' ? [] : [element('p', { dir: 'auto' }, [greeting])]),
        ]),
        element('footer', {}, [
          this.#visitorMark,
          element('span', { class: 'visitor' }, [this.#visitorName, this.#visitorState]),
        ]),
      ],
    );
    this.#launcher = element(
      'button',
      { type: 'button', class: 'launcher', 'aria-label': name, 'aria-haspopup': 'dialog', 'aria-expanded': 'false' },
      [icon(speechBubble), icon(cross)],
    );
    const frame = element('div', { class: `frame ${position}` }, [this.#panel, this.#launcher]);
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
    const root = this.#host.attachShadow({ mode: 'open' });
    addStyles(root, viewCss + panelCss + mediaQueriesCss);
    root.append(frame);
    this.showVisitor(null);
    this.attach();
  }

  /** Also called later: a page that replaced its body has removed the widget. */
  attach(): void {
    if (!this.#host.isConnected) document.body.append(this.#host);
  }

  get #isOpen(): boolean {
    return !this.#panel.hidden;
  }

  showVisitor(contact: RosterContact | null): void {
    const name = contact?.name ?? 'Guest';
    this.#hello.replaceChildren(...(contact === null ? ['Hello!'] : ['Hello, ', element('bdi', {}, [name]), '!']));
    this.#visitorMark.textContent = initialOf(name);
    this.#visitorMark.classList.toggle('known', contact !== null);
    this.#visitorName.textContent = name;
    this.#visitorState.textContent = contact === null ? 'You are not signed in' : 'You are signed in';
  }

  open(): void {
    this.attach();
    if (this.#isOpen) return;
    const focused = document.activeElement;
    const isOfPage = focused !== null && focused !== this.#host && focused !== document.body;
    this.#returnTo = isOfPage ? (focused as HTMLElement) : this.#launcher;
    this.#panel.hidden = false;
    this.#launcher.setAttribute('aria-expanded', 'true');
    // A panel that the page opens by itself must not take the focus from a visitor who is typing.
    if (!isTextInput(focused)) this.#panel.focus({ preventScroll: true });
    this.#onOpen();
  }

  close(): void {
    if (!this.#isOpen) return;
    const hadFocus = document.activeElement === this.#host;
    this.#panel.hidden = true;
    this.#launcher.setAttribute('aria-expanded', 'false');
    if (!hadFocus) return;
    const target = this.#returnTo?.isConnected ? this.#returnTo : this.#launcher;
    target.focus({ preventScroll: true });
  }

  show(): void {
    this.attach();
    this.#launcher.hidden = false;
  }

  hide(): void {
    this.close();
    this.#launcher.hidden = true;
  }
}

function isTextInput(focused: Element | null): boolean {
  return (
    focused instanceof HTMLElement && (focused.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(focused.tagName))
  );
}
