// One widget of one bot: puts the parts together, and is what `window.Roster` stands for.
import type { RosterApi, RosterTask } from '../types/roster.d.ts';
import { tell, tellFailure } from './events.ts';
import { toFailure } from './failure.ts';
import { Identity } from './identity.ts';
import type { Service } from './service.ts';
import type { TokenStorage } from './token-storage.ts';
import { View } from './view.ts';

export class Widget {
  readonly #identity: Identity;
  /** What the page asked for, perhaps before there was anything to open or hide. */
  readonly #wanted = { isOpen: false, isHidden: false };
  #view: View | undefined;

  constructor(service: Service, storage: TokenStorage) {
    const started = this.#draw(service);
    started.catch((error) => tellFailure(toFailure(error)));
    const show = (contact: Identity['contact']) => this.#view?.showVisitor(contact);
    this.#identity = new Identity({ service, storage, started, show });
  }

  readonly api: RosterApi = {
    auth: {
      contacts: {
        login: (credentials) => {
          const login = this.#identity.login(credentials?.token);
          // Whoever does not wait for the outcome hears it as an event, and not as an error of the page.
          login.catch(() => {});
          return login;
        },
        logout: () => this.#identity.logout(),
        current: () => this.#identity.contact,
        refreshWith: (supply) => this.#identity.refreshWith(supply),
      },
    },
    widget: {
      open: () => this.#want({ isOpen: true }),
      close: () => this.#want({ isOpen: false }),
      show: () => this.#want({ isHidden: false }),
      hide: () => this.#want({ isHidden: true, isOpen: false }),
    },
    push: (task) => this.#run(task),
  };

  /** First what the page asked for before the script was there, then what the script's address says. */
  begin(queue: RosterTask[], tokenInAddress: string | null): void {
    // The page may still hold the array.
    queue.push = (...tasks) => {
      for (const task of tasks) this.#run(task);
      return 0;
    };
    for (const task of queue.splice(0)) this.#run(task);
    this.#identity.begin(tokenInAddress);
  }

  attach(): void {
    this.#view?.attach();
  }

  /** One task that fails takes neither the others nor the widget with it. */
  #run(task: RosterTask): void {
    try {
      task(this.api);
    } catch (error) {
      console.error('[Roster]', error);
    }
  }

  async #draw(service: Service): Promise<void> {
    const [settings] = await Promise.all([service.readSettings(), bodyReady()]);
    this.#view = new View(settings, () => this.#identity.confirm());
    const { isHidden, isOpen } = this.#wanted;
    if (isHidden) this.#view.hide();
    if (isOpen) this.#view.open();
    tell('roster:ready', null);
  }

  #want(change: { isOpen?: boolean; isHidden?: boolean }): void {
    Object.assign(this.#wanted, change);
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
