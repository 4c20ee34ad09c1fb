// The widget of one bot: assembles its parts and provides the API of `window.Roster`.
import type { WidgetSettings } from '@roster/contract';
import type { RosterApi, RosterTask } from '../types/roster.d.ts';
import { dispatch, reportFailure } from './events.ts';
import { toFailure } from './failure.ts';
import { Host } from './host.ts';
import { Identity } from './identity.ts';
import { languageOfPage } from './languages.ts';
import type { ServiceClient } from './service-client.ts';
import type { TokenStorage } from './token-storage.ts';
import { View } from './view.ts';

export class Widget {
  readonly #identity: Identity;
  /** The state that the page has requested, perhaps before the view exists. */
  readonly #requested = { isOpen: false, isHidden: false };
  /** What the page would have the visitor say. */
  #message = '';
  #shown: Identity['contact'] = null;
  #view: View | undefined;

  constructor(service: ServiceClient, storage: TokenStorage) {
    const started = this.#draw(service);
    started.catch((error) => reportFailure(toFailure(error)));
    this.#identity = new Identity({ service, storage, started, show: (contact) => this.#show(contact) });
  }

  readonly api: RosterApi = {
    auth: {
      contacts: {
        login: (credentials) => {
          const login = this.#identity.login(credentials?.token);
          // A caller that does not await the login gets an event instead of an unhandled rejection.
          login.catch(() => {});
          return login;
        },
        logout: () => this.#identity.logout(),
        current: () => this.#identity.contact,
        refreshWith: (supply) => this.#identity.refreshWith(supply),
      },
    },
    widget: {
      open: () => this.#request({ isOpen: true }),
      close: () => this.#request({ isOpen: false }),
      show: () => this.#request({ isHidden: false }),
      hide: () => this.#request({ isHidden: true, isOpen: false }),
    },
    push: (task) => this.#run(task),
  };

  /** The same by events on the element. They return nothing: the page hears the outcome as an event too. */
  readonly #host = new Host({
    ChatnessWidgetOpen: () => this.api.widget.open(),
    ChatnessWidgetClose: () => this.api.widget.close(),
    ChatnessWidgetShow: () => this.api.widget.show(),
    ChatnessWidgetHide: () => this.api.widget.hide(),
    ChatnessWidgetMessage: (detail) => {
      this.#say(typeof detail?.text === 'string' ? detail.text : '');
      this.api.widget.open();
    },
    ChatnessAuthContactsLogin: (detail) => {
      this.api.auth.contacts.login(detail as { token: string });
    },
    ChatnessAuthContactsLogout: () => {
      this.api.auth.contacts.logout();
    },
  });

  /** Runs the tasks that the page queued before the script was loaded, then uses the token of the script's URL. */
  begin(queue: RosterTask[], tokenInUrl: string | null): void {
    // The page may still have a reference to the array.
    queue.push = (...tasks) => {
      for (const task of tasks) this.#run(task);
      return 0;
    };
    for (const task of queue.splice(0)) this.#run(task);
    this.#identity.begin(tokenInUrl);
  }

  attach(): void {
    this.#host.attach();
  }

  /** A task that throws affects neither the other tasks nor the widget. */
  #run(task: RosterTask): void {
    try {
      task(this.api);
    } catch (error) {
      console.error('[Roster]', error);
    }
  }

  async #draw(service: ServiceClient): Promise<void> {
    const [settings] = await Promise.all([service.readSettings(), bodyReady()]);
    this.draw(settings);
    dispatch('roster:ready', null);
  }

  /** Again with other settings: in the console's preview, where they change while the widget is shown. */
  draw(settings: WidgetSettings): void {
    this.#view = new View(this.#host, settings, languageOfPage(), () => this.#identity.confirm());
    this.#view.showVisitor(this.#shown);
    this.#view.prefill(this.#message);
    const { isHidden, isOpen } = this.#requested;
    if (isHidden) this.#view.hide();
    if (isOpen) this.#view.open();
  }

  #show(contact: Identity['contact']): void {
    // What was written for one contact is not for the next.
    if (this.#shown !== null && this.#shown.id !== contact?.id) this.#say('');
    this.#shown = contact;
    this.#view?.showVisitor(contact);
  }

  #say(text: string): void {
    this.#message = text;
    this.#view?.prefill(text);
  }

  #request(change: { isOpen?: boolean; isHidden?: boolean }): void {
    Object.assign(this.#requested, change);
    if (change.isHidden !== undefined) change.isHidden ? this.#view?.hide() : this.#view?.show();
    if (change.isOpen !== undefined) change.isOpen ? this.#view?.open() : this.#view?.close();
  }
}

function bodyReady(): Promise<void> {
  return new Promise((resolve) => {
    if (document.body !== null) resolve();
    else document.addEventListener('DOMContentLoaded', () => resolve(), { once: true });
  });
}
