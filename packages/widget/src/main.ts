// The entry point: at most one widget per page. No failure here may become an error of the page.
import type { WidgetSettings } from '@roster/contract';
import type { RosterApi } from '../types/roster.d.ts';
import { reportFailure } from './events.ts';
import { Failure, toFailure } from './failure.ts';
import { readScriptUrl, type ScriptUrl } from './script-url.ts';
import { ServiceClient } from './service-client.ts';
import { TokenStorage } from './token-storage.ts';
import { Widget } from './widget.ts';

/**
 * By this a second load of the script, perhaps of another version, recognises the first, and the console's preview finds
 * the widget. It must never change.
 */
const marker = Symbol.for('roster.widget');

interface Started extends RosterApi {
  readonly [marker]: { readonly botId: string; attach(): void; draw(settings: WidgetSettings): void };
}

function start({ serviceUrl, botId, token }: ScriptUrl): void {
  // An element with the id "Roster" is visible on the window too, but is no own property of it.
  const existing = Object.hasOwn(window, 'Roster') ? window.Roster : undefined;
  if (isStarted(existing)) {
    handleSecondLoad(existing, botId, token);
    return;
  }
  if (existing != null && !Array.isArray(existing)) {
    throw new Failure(
      'global_taken',
      'window.Roster is already used by something else on this page, so there is no widget.',
    );
  }
  if (!botId) throw new Failure('unknown_bot', 'The script’s URL has no bot. Add ?bot=… to it.');

  const widget = new Widget(new ServiceClient(serviceUrl, botId), new TokenStorage(botId));
  window.Roster = Object.assign(widget.api, {
    [marker]: { botId, attach: () => widget.attach(), draw: (settings: WidgetSettings) => widget.draw(settings) },
  });
  widget.begin(existing ?? [], token);
}

function isStarted(existing: typeof window.Roster): existing is Started {
  return (existing as Partial<Started> | undefined)?.[marker] !== undefined;
}

/**
 * Frameworks insert the script again after a sign-in, so the token of the second one is used, and after they replaced
 * the body of the page, so the widget is attached again.
 */
function handleSecondLoad(roster: Started, botId: string | null, token: string | null): void {
  if (botId !== roster[marker].botId) {
    throw new Failure('another_bot', 'This page already has a widget for another bot, which stays.');
  }
  roster[marker].attach();
  if (token !== null) roster.auth.contacts.login({ token });
}

try {
  start(readScriptUrl());
} catch (error) {
  reportFailure(toFailure(error));
}
