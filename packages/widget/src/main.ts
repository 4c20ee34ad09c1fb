// The entry: starts one widget for a page, whatever else happens there. Nothing that goes wrong here may become an
// error of the page.
import type { RosterApi, RosterTask } from '../types/roster.d.ts';
import { tell, tellFailure } from './events.ts';
import { Failure, toFailure } from './failure.ts';
import { Identity } from './identity.ts';
import { type OwnAddress, readOwnAddress } from './own-address.ts';
import { Service } from './service.ts';
import { TokenStorage } from './token-storage.ts';
import { View } from './view.ts';

/** By this the script, when it is loaded again, knows its own work. The same in every version. */
const mark = Symbol.for('roster.widget');

interface Started extends RosterApi {
  readonly [mark]: { readonly botId: string };
}

function start({ serviceUrl, botId, token }: OwnAddress): void {
  // An element with the id "Roster" is a property of the window too, though not of its own.
  const existing = Object.hasOwn(window, 'Roster') ? window.Roster : undefined;
  const earlier = (existing as Partial<Started> | undefined)?.[mark];
  if (earlier !== undefined) {
    loadedAgain(existing as Started, botId, token);
    return;
  }
  if (existing != null && !Array.isArray(existing)) {
    throw new Failure('global_taken', 'window.Roster is something else on this page. It was left as it is.');
  }
  if (botId === null) throw new Failure('unknown_bot', 'The address of widget.js names no bot: add ?bot=….');

  const widget = new Widget(new Service(serviceUrl, botId), new TokenStorage(botId));
  const api: Started = { ...widget.api, [mark]: { botId } };
  window.Roster = api;
  widget.runTasks(existing ?? [], api);
  widget.identity.begin(token);
}

/** The second of two scripts. Frameworks insert a script anew after a sign-in, so its token is taken. */
function loadedAgain(roster: Started, botId: string | null, token: string | null): void {
  if (botId !== roster[mark].botId) {
    throw new Failure('another_bot', 'A widget of another bot is on this page already. The first one stays.');
  }
  if (token !== null) roster.auth.contacts.login({ token });
}

class Widget {
  readonly identity: Identity;
  /** What the page asked for before there was anything to open or hide. */
  readonly #wanted = { isOpen: false, isHidden: false };
  #view: View | undefined;

  constructor(service: Service, storage: TokenStorage) {
    const started = this.#draw(service);
    started.catch((error) => tellFailure(toFailure(error)));
    const show = (contact: Identity['contact']) => this.#view?.showVisitor(contact);
    this.identity = new Identity({ service, storage, started, show });
  }

  async #draw(service: Service): Promise<void> {
    const [settings] = await Promise.all([service.readSettings(), bodyReady()]);
    const view = new View(settings, () => this.identity.confirm());
    view.showVisitor(this.identity.contact);
    if (this.#wanted.isHidden) view.hide();
    if (this.#wanted.isOpen) view.open();
    this.#view = view;
    tell('roster:ready', null);
  }

  readonly api: RosterApi = {
    auth: {
      contacts: {
        login: (credentials) => {
          const login = this.identity.login(credentials?.token);
          // Whoever does not wait for the outcome hears it as an event, and not as an error of the page.
          login.catch(() => {});
          return login;
        },
        logout: () => this.identity.logout(),
        current: () => this.identity.contact,
        refreshWith: (supply) => this.identity.refreshWith(supply),
      },
    },
    widget: {
      open: () => this.#want({ isOpen: true }),
      close: () => this.#want({ isOpen: false }),
      show: () => this.#want({ isHidden: false }),
      hide: () => this.#want({ isHidden: true, isOpen: false }),
    },
    push: (task) => this.#run(task, window.Roster as RosterApi),
  };

  #want(change: { isOpen?: boolean; isHidden?: boolean }): void {
    Object.assign(this.#wanted, change);
    if (change.isHidden !== undefined) change.isHidden ? this.#view?.hide() : this.#view?.show();
    if (change.isOpen !== undefined) change.isOpen ? this.#view?.open() : this.#view?.close();
  }

  /** What was queued, in its order. A page may still hold the old array, so its `push` works from now on too. */
  runTasks(queue: RosterTask[], api: RosterApi): void {
    queue.push = (...tasks) => {
      for (const task of tasks) this.#run(task, api);
      return 0;
    };
    for (const task of queue.splice(0)) this.#run(task, api);
  }

  /** One task that fails takes neither the others nor the widget with it. */
  #run(task: RosterTask, api: RosterApi): void {
    try {
      task(api);
    } catch (error) {
      console.error('[Roster]', error);
    }
  }
}

function bodyReady(): Promise<void> {
  return new Promise((resolve) => {
    if (document.body !== null) resolve();
    else document.addEventListener('DOMContentLoaded', () => resolve(), { once: true });
  });
}

try {
  const address = readOwnAddress();
  if (address !== undefined) start(address);
} catch (error) {
  tellFailure(toFailure(error));
}
