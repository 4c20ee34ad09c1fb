// The widget as a page sees it: `window.Roster` and its events. Stands alone, so that it can be copied into a project.

/** Whom a contact token stands for, and until when (ISO 8601). */
export interface RosterContact {
  readonly id: string;
  readonly name: string;
  readonly expiresAt: string;
}

export interface RosterApi {
  readonly auth: {
    readonly contacts: {
      /**
       * Recognises the visitor by a contact token, on this page and on later ones of the same site. Whoever was
       * recognised by another token is forgotten at once. Rejects with a RosterError.
       */
      login(credentials: { token: string }): Promise<RosterContact>;
      /** Makes the visitor anonymous and forgets the token. Always resolves. */
      logout(): Promise<void>;
      /** The contact that the visitor is recognised as, or null. */
      current(): RosterContact | null;
      /**
       * Says where a new token comes from when one has expired or was revoked. Called after `roster:expired`; what it
       * returns is logged in. Null or nothing: the visitor stays anonymous.
       */
      refreshWith(supply: RosterTokenSupplier): void;
    };
  };
  readonly widget: {
    /** Opens the panel, also while the launcher is hidden. */
    open(): void;
    close(): void;
    /** Shows the launcher. */
    show(): void;
    /** Hides the launcher, and closes the panel. */
    hide(): void;
  };
  /** Runs the task at once. Before the script has loaded, `window.Roster` is an array and its `push` keeps the task. */
  push(task: RosterTask): void;
}

export type RosterTask = (roster: RosterApi) => unknown;

export type RosterTokenSupplier = () => MaybePromise<string | { token: string } | null | undefined>;

type MaybePromise<Value> = Value | Promise<Value>;

export type RosterErrorCode =
  /** The script's address names no bot, or one that does not exist. */
  | 'unknown_bot'
  /** A widget of another bot is on the page already: the first one stays. */
  | 'another_bot'
  /** `window.Roster` is something of the page's own, which is left alone. */
  | 'global_taken'
  /** The service did not answer, or does not allow this origin. */
  | 'unreachable'
  /** Not a contact token at all. */
  | 'invalid_token'
  /** Expired, revoked, or its contact was deleted. Only as a rejection: the page hears `roster:expired`. */
  | 'expired'
  /** A later login or logout came in between. Only as a rejection. */
  | 'superseded'
  /** The page's `refreshWith` function failed. */
  | 'refresh_failed';

export interface RosterError extends Error {
  readonly code: RosterErrorCode;
}

/** Fired at `document`; they bubble to `window`. None holds a token. */
export interface RosterEventMap {
  /** The launcher is on the page. */
  'roster:ready': CustomEvent<null>;
  'roster:login': CustomEvent<{ contact: RosterContact }>;
  'roster:logout': CustomEvent<{ contact: RosterContact }>;
  /** The token is worth nothing, or nothing any more. `contact` is who was recognised by it until now, if anybody. */
  'roster:expired': CustomEvent<{ contact: RosterContact | null }>;
  'roster:error': CustomEvent<{ code: RosterErrorCode; message: string }>;
}

declare global {
  interface Window {
    /** Use it as `(window.Roster ??= []).push((roster) => …)`, which works before and after the script has loaded. */
    Roster?: RosterApi | RosterTask[];
  }
  interface DocumentEventMap extends RosterEventMap {}
  interface WindowEventMap extends RosterEventMap {}
}
