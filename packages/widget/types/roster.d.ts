// The widget's API for pages: `window.Roster` and its events. Imports nothing, so that it can be copied into a project.

/** The contact of a contact token, and when the token expires (ISO 8601). */
export interface RosterContact {
  readonly id: string;
  readonly name: string;
  readonly expiresAt: string;
}

export interface RosterApi {
  readonly auth: {
    readonly contacts: {
      /**
       * Recognises the visitor by a contact token, on this page and on later pages of the same site. A contact that was
       * recognized by another token is forgotten at once. Rejects with a RosterError.
       */
      login(credentials: { token: string }): Promise<RosterContact>;
      /** Makes the visitor anonymous and forgets the token. Always resolves. */
      logout(): Promise<void>;
      /** The contact that the visitor is recognized as, or null. */
      current(): RosterContact | null;
      /**
       * Sets the function that supplies a new token when one has expired or was revoked. It is called after
       * `roster:expired`. When it returns null or undefined, the visitor stays anonymous.
       */
      refreshWith(supply: RosterTokenSupplier): void;
    };
  };
  readonly widget: {
    /** Opens the panel, even while the launcher is hidden. */
    open(): void;
    close(): void;
    /** Shows the launcher. */
    show(): void;
    /** Hides the launcher, and closes the panel. */
    hide(): void;
  };
  /** Runs the task at once. Before the script has loaded, `window.Roster` is an array whose `push` queues the task. */
  push(task: RosterTask): void;
}

export type RosterTask = (roster: RosterApi) => unknown;

export type RosterTokenSupplier = () => MaybePromise<string | { token: string } | null | undefined>;

type MaybePromise<Value> = Value | Promise<Value>;

export type RosterErrorCode =
  /** The script's URL has no bot, or one that does not exist. */
  | 'unknown_bot'
  /** The page already has a widget for another bot, which stays. */
  | 'another_bot'
  /** `window.Roster` belongs to something else on the page, and is left unchanged. */
  | 'global_taken'
  /** The service did not respond, or the bot does not allow this origin. */
  | 'unreachable'
  /** Not a contact token at all. */
  | 'invalid_token'
  /** Expired, revoked, or its contact was deleted. Only as a rejection; the event is `roster:expired`. */
  | 'expired'
  /** A later login or logout replaced this one. Only as a rejection. */
  | 'superseded'
  /** The page's `refreshWith` function failed. */
  | 'refresh_failed';

export interface RosterError extends Error {
  readonly code: RosterErrorCode;
}

/** Dispatched on `document`; they bubble to `window`. None contains a token. */
export interface RosterEventMap {
  /** The launcher is on the page. */
  'roster:ready': CustomEvent<null>;
  'roster:login': CustomEvent<{ contact: RosterContact }>;
  'roster:logout': CustomEvent<{ contact: RosterContact }>;
  /**
   * The token is not valid, or no longer valid. `contact` is the contact that was recognized by it until now, or null.
   */
  'roster:expired': CustomEvent<{ contact: RosterContact | null }>;
  'roster:error': CustomEvent<{ code: RosterErrorCode; message: string }>;
}

/**
 * Dispatched by pages on `<chat-widget>`, the widget's element. They do what the methods of `window.Roster` do, for pages that
 * were written for the service whose API this is.
 */
export interface ChatWidgetEventMap {
  ChatnessWidgetOpen: CustomEvent<unknown>;
  ChatnessWidgetClose: CustomEvent<unknown>;
  ChatnessWidgetShow: CustomEvent<unknown>;
  ChatnessWidgetHide: CustomEvent<unknown>;
  /** Opens the panel. The text goes into the link of the first channel that takes one; nothing is sent. */
  ChatnessWidgetMessage: CustomEvent<{ text: string; prefill?: boolean }>;
  ChatnessAuthContactsLogin: CustomEvent<{ token: string }>;
  ChatnessAuthContactsLogout: CustomEvent<unknown>;
}

declare global {
  interface Window {
    /** Use it as `(window.Roster ??= []).push((roster) => …)`, which works before and after the script has loaded. */
    Roster?: RosterApi | RosterTask[];
  }
  interface DocumentEventMap extends RosterEventMap {}
  interface WindowEventMap extends RosterEventMap {}
}
