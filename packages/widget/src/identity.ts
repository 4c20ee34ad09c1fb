// Who the visitor is: a contact, or anonymous. The latest login or logout wins, in whatever order the responses arrive,
// and nothing of a previously recognised contact stays.
import type { RosterContact, RosterTokenSupplier } from '../types/roster.d.ts';
import { dispatch, reportFailure } from './events.ts';
import { Failure, toFailure } from './failure.ts';
import type { ServiceClient } from './service-client.ts';
import type { TokenStorage } from './token-storage.ts';

/** A longer delay would overflow, and browsers would fire the timer at once. */
const timerMaxMs = 2 ** 31 - 1;
/** When to check a token again that has expired by the visitor's clock but not by the service's. */
const recheckMs = 3_600_000;
/** A contact that was confirmed within this time is not checked again. */
const confirmedForMs = 60_000;

export interface IdentityParts {
  service: ServiceClient;
  storage: TokenStorage;
  /** Resolves after `roster:ready`; rejects when there will be no widget. */
  started: Promise<unknown>;
  /** Shows the recognised contact, or an anonymous visitor. */
  show(contact: RosterContact | null): void;
}

export class Identity {
  readonly #parts: IdentityParts;
  #contact: RosterContact | null = null;
  /** The token of `#contact`. */
  #token: string | null = null;
  /** The previous contact, for which no `roster:logout` was dispatched yet: that waits for the result of a login. */
  #loggedOut: RosterContact | null = null;
  /** Counts logins and logouts, so that only the latest one takes effect. */
  #attempts = 0;
  /** Whether a login is in flight. */
  #isPending = false;
  #confirmedAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #supply: RosterTokenSupplier | undefined;
  /** A token has expired, and there was no supplier of a new one yet. */
  #isRefreshDue = false;

  constructor(parts: IdentityParts) {
    this.#parts = parts;
    parts.storage.watch(() => this.#followStorage());
  }

  get contact(): RosterContact | null {
    return this.#contact;
  }

  /** Unless the page has called login or logout already, logs in by the script's URL, or else by the stored token. */
  begin(tokenInUrl: string | null): void {
    const token = tokenInUrl ?? this.#parts.storage.read();
    if (this.#attempts === 0 && token !== null) this.login(token).catch(ignore);
  }

  async login(token: string, how: { isQuiet?: boolean; isRefreshed?: boolean } = {}): Promise<RosterContact> {
    const attempt = ++this.#attempts;
    const { service, storage, started } = this.#parts;
    this.#isPending = true;
    this.#isRefreshDue = false;
    if (token !== storage.read()) storage.clear();
    if (token !== this.#token) this.#reset();
    try {
      checkForm(token);
      const identified = service.identify(token);
      // It is awaited below, after `started`. Without a handler, an earlier rejection would be an error of the page.
      identified.catch(ignore);
      await started;
      const contact = await identified;
      if (attempt !== this.#attempts) throw superseded();
      this.#isPending = false;
      this.#recognize(token, contact, how.isQuiet === true);
      return contact;
    } catch (error) {
      const noWidget = await started.then(() => undefined, toFailure);
      if (attempt !== this.#attempts) throw superseded();
      this.#isPending = false;
      const failure = toFailure(error);
      if (failure.code === 'expired') {
        this.#expire(token, how.isRefreshed === true);
      } else {
        this.#dispatchLogout();
        // The failure to start was reported already.
        if (failure !== noWidget) reportFailure(failure);
      }
      throw failure;
    }
  }

  async logout(): Promise<void> {
    this.#attempts++;
    this.#isPending = false;
    this.#isRefreshDue = false;
    this.#parts.storage.clear();
    this.#reset();
    await this.#parts.started.catch(ignore);
    this.#dispatchLogout();
  }

  refreshWith(supply: RosterTokenSupplier): void {
    this.#supply = supply;
    if (this.#isRefreshDue) this.#refresh();
  }

  /** Checks the token again, unless that was done a moment ago: it may have been revoked meanwhile. */
  async confirm(): Promise<void> {
    const [token, attempt] = [this.#token, this.#attempts];
    if (token === null || Date.now() - this.#confirmedAtMs < confirmedForMs) return;
    try {
      const confirmed = await this.#parts.service.identify(token);
      if (attempt === this.#attempts) this.#recognize(token, confirmed, true);
    } catch (error) {
      if (attempt !== this.#attempts) return;
      if (toFailure(error).code === 'expired') this.#expire(token, false);
      // An unreachable service says nothing about the token, so the contact stays recognised.
      else this.#scheduleConfirmation(recheckMs);
    }
  }

  #recognize(token: string, contact: RosterContact, isQuiet: boolean): void {
    const { storage, show } = this.#parts;
    const before = this.#contact ?? this.#loggedOut;
    if (this.#loggedOut?.id === contact.id) this.#loggedOut = null;
    this.#token = token;
    this.#contact = contact;
    this.#confirmedAtMs = Date.now();
    storage.write(token);
    show(contact);
    const leftMs = Date.parse(contact.expiresAt) - Date.now();
    this.#scheduleConfirmation(leftMs > 0 ? leftMs : recheckMs);
    this.#dispatchLogout();
    // A listener of the logout event may have called login or logout.
    if (this.#contact !== contact) return;
    if (!isQuiet || before?.id !== contact.id) dispatch('roster:login', { contact });
  }

  /** Makes the visitor anonymous. The logout event is dispatched later, once it is known who comes next. */
  #reset(): void {
    clearTimeout(this.#timer);
    this.#loggedOut ??= this.#contact;
    this.#contact = null;
    this.#token = null;
    this.#parts.show(null);
  }

  #dispatchLogout(): void {
    const contact = this.#loggedOut;
    this.#loggedOut = null;
    if (contact !== null) dispatch('roster:logout', { contact });
  }

  #expire(token: string, isRefreshed: boolean): void {
    const contact = this.#contact;
    // Another tab may have stored a newer token meanwhile, which must stay.
    if (this.#parts.storage.read() === token) this.#parts.storage.clear();
    this.#reset();
    // The contact of an expired token has not logged out: the page gets roster:expired instead.
    if (contact !== null) this.#loggedOut = null;
    // Set before any event is dispatched, because a listener may log in. A refreshed token that is refused too is not
    // refreshed again.
    this.#isRefreshDue = !isRefreshed;
    this.#dispatchLogout();
    dispatch('roster:expired', { contact });
    if (this.#isRefreshDue && this.#supply !== undefined) this.#refresh();
  }

  async #refresh(): Promise<void> {
    const attempt = this.#attempts;
    this.#isRefreshDue = false;
    try {
      const supplied = await this.#supply?.();
      const token = typeof supplied === 'object' ? supplied?.token : supplied;
      // The page may have called login or logout meanwhile, which takes precedence.
      if (token == null || attempt !== this.#attempts) return;
      this.login(token, { isRefreshed: true }).catch(ignore);
    } catch (error) {
      reportFailure(
        new Failure('refresh_failed', `The function given to refreshWith failed: ${toFailure(error).message}`),
      );
    }
  }

  #scheduleConfirmation(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#confirmedAtMs = 0;
        this.confirm();
      },
      Math.min(delayMs, timerMaxMs),
    );
  }

  /** Follows a login or logout in another tab. A login of this page that is in flight takes precedence. */
  #followStorage(): void {
    const token = this.#parts.storage.read();
    if (token === this.#token || this.#isPending || !this.#parts.storage.isReliable) return;
    if (token === null) this.logout();
    else this.login(token, { isQuiet: true }).catch(ignore);
  }
}

function checkForm(token: unknown): void {
  if (typeof token === 'string' && /^[a-z]+:[\x21-\x7e]+$/.test(token)) return;
  const isSecret = typeof token === 'string' && token.startsWith('rst_');
  throw new Failure(
    'invalid_token',
    isSecret
      ? 'This is an organization’s secret. It must never reach a browser: revoke it, and send a contact token.'
      : 'This is not a contact token.',
  );
}

function superseded(): Failure {
  return new Failure('superseded', 'A later login or logout replaced this one.');
}

/** For rejections that were reported to the page by an event. */
function ignore(): void {}
