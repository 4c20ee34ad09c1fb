// The entry: at most one widget for a page, whatever else happens there. Nothing that goes wrong here may become an
// error of the page.
import type { RosterApi } from '../types/roster.d.ts';
import { tellFailure } from './events.ts';
import { Failure, toFailure } from './failure.ts';
import { type OwnAddress, readOwnAddress } from './own-address.ts';
import { Service } from './service.ts';
import { TokenStorage } from './token-storage.ts';
import { Widget } from './widget.ts';

/** By this the script, when it is loaded again, knows its own work. The same in every version. */
const mark = Symbol.for('roster.widget');

interface Started extends RosterApi {
  readonly [mark]: { readonly botId: string; attach(): void };
}

function start({ serviceUrl, botId, token }: OwnAddress): void {
  // An element with the id "Roster" is found on the window too, though it is no property of its own.
  const existing = Object.hasOwn(window, 'Roster') ? window.Roster : undefined;
  if (isStarted(existing)) {
    loadedAgain(existing, botId, token);
    return;
  }
  if (existing != null && !Array.isArray(existing)) {
    throw new Failure('global_taken', 'window.Roster is something else on this page. It was left as it is.');
  }
  if (!botId) throw new Failure('unknown_bot', 'The address of widget.js names no bot: add ?bot=….');

  const widget = new Widget(new Service(serviceUrl, botId), new TokenStorage(botId));
  window.Roster = Object.assign(widget.api, { [mark]: { botId, attach: () => widget.attach() } });
  widget.begin(existing ?? [], token);
}

function isStarted(existing: typeof window.Roster): existing is Started {
  return (existing as Partial<Started> | undefined)?.[mark] !== undefined;
}

/**
 * The second of two scripts. Frameworks insert a script anew after a sign-in, so its token is taken, and with a new
 * page body, so the widget moves there.
 */
function loadedAgain(roster: Started, botId: string | null, token: string | null): void {
  if (botId !== roster[mark].botId) {
    throw new Failure('another_bot', 'A widget of another bot is on this page already. The first one stays.');
  }
  roster[mark].attach();
  if (token !== null) roster.auth.contacts.login({ token });
}

try {
  start(readOwnAddress());
} catch (error) {
  tellFailure(toFailure(error));
}
