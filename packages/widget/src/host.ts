// The widget's element in the page, `<chat-widget>`. It is there before the service has answered, so that a page can
// dispatch events on it: those of pages that were written for the service whose API this is.
import type { ChatWidgetEventMap } from '../types/roster.d.ts';

const tagName = 'chat-widget';

/** What each event does. Pages dispatch what they like, so nothing of a detail is certain. */
export type Commands = {
  [Name in keyof ChatWidgetEventMap]: (detail: Partial<ChatWidgetEventMap[Name]['detail']> | null | undefined) => void;
};

export class Host {
  readonly #commands: Commands;
  #element: HTMLElement;
  /** The page had none. */
  readonly #isAdded: boolean;

  constructor(commands: Commands) {
    this.#commands = commands;
    const found = elementOfPage();
    this.#element = this.#use(found ?? document.createElement(tagName));
    this.#isAdded = found === undefined;
    this.attach();
    if (document.body === null) whenBodyExists(() => this.attach());
  }

  get element(): HTMLElement {
    return this.#element;
  }

  /**
   * Also called later: a page that replaced its body has removed the element. Before there is a body, the element is a
   * child of the root, where a script of the head finds it.
   */
  attach(): void {
    const { body, documentElement: root } = document;
    const { isConnected, parentNode } = this.#element;
    if (!isConnected || parentNode === root) (body ?? root).append(this.#element);
  }

  /**
   * By now the page may have parsed an element of its own; otherwise ours goes behind what it has parsed. Called again, it
   * returns the same root, empty.
   */
  openShadow(): ShadowRoot {
    const { shadowRoot } = this.#element;
    if (shadowRoot !== null) {
      shadowRoot.replaceChildren();
      return shadowRoot;
    }
    if (this.#isAdded) {
      this.#element.remove();
      const found = elementOfPage();
      if (found !== undefined) this.#element = this.#use(found);
    }
    this.attach();
    return this.#element.attachShadow({ mode: 'open' });
  }

  #use(element: HTMLElement): HTMLElement {
    for (const [type, command] of Object.entries(this.#commands)) {
      element.addEventListener(type, (event) => command((event as CustomEvent).detail));
    }
    return element;
  }
}

/** One with a shadow root is in use by something else. */
function elementOfPage(): HTMLElement | undefined {
  return Array.from(document.querySelectorAll<HTMLElement>(tagName)).find((each) => each.shadowRoot === null);
}

function whenBodyExists(then: () => void): void {
  new MutationObserver((_changes, observer) => {
    if (document.body === null) return;
    observer.disconnect();
    then();
  }).observe(document.documentElement, { childList: true });
}
