// Who the visitor is: one contact or nobody. The latest login or logout wins, whatever the order of the answers, and
// of whoever was recognised before nothing stays.
import type { RosterContact, RosterTokenSupplier } from '../types/roster.d.ts';
import { tell, tellFailure } from './events.ts';
import { Failure, toFailure } from './failure.ts';
import type { Service } from './service.ts';
import type { TokenStorage } from './token-storage.ts';

/** Browsers take longer delays for none at all. */
const timerMaxMs = 2 ** 31 - 1;
/** Until the next look at a token whose end has come by our clock but not by the service's. */
const lookAgainMs = 3_600_000;
/** A contact that was confirmed within this time is taken for current. */
const confirmedForMs = 60_000;

export interface IdentityParts {
  service: Service;
  storage: TokenStorage;
  /** Resolves when the page has heard `roster:ready`; rejects when there will be no widget. */
  started: Promise<unknown>;
  /** Shows who the visitor is. */
  show(contact: RosterContact | null): void;
}

export class Identity {
  readonly #parts: IdentityParts;
  #contact: RosterContact | null = null;
  /** The token of `#contact`. */
  #token: string | null = null;
  /** Recognised until a login began whose outcome is not known yet. */
  #departed: RosterContact | null = null;
  #attempts = 0;
  /** A login whose outcome is not known yet. */
  #isPending = false;
  #confirmedAtMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #supply: RosterTokenSupplier | undefined;
  /** A token expired, and there was nobody to ask for another. */
  #isSupplyDue = false;

  constructor(parts: IdentityParts) {
    this.#parts = parts;
    parts.storage.watch(() => this.#followStorage());
  }

  get contact(): RosterContact | null {
    return this.#contact;
  }

  /** What the page's own calls did not decide, the script's address does, and then the page before. */
  begin(tokenInAddress: string | null): void {
    const token = tokenInAddress ?? this.#parts.storage.read();
    if (this.#attempts === 0 && token !== null) this.login(token).catch(told);
  }

  async login(token: string, how: { isQuiet?: boolean; isRefreshed?: boolean } = {}): Promise<RosterContact> {
    const attempt = ++this.#attempts;
    const { service, storage, started } = this.#parts;
    this.#isPending = true;
    this.#isSupplyDue = false;
    if (token !== storage.read()) storage.clear();
    if (token !== this.#token) this.#leave();
    try {
      checkForm(token);
      const identified = service.identify(token);
      // It is waited for in its turn, after `started`.
      identified.catch(told);
      await started;
      const contact = await identified;
      if (attempt !== this.#attempts) throw superseded();
      this.#isPending = false;
      this.#enter(token, contact, how.isQuiet === true);
      return contact;
    } catch (error) {
      const noWidget = await started.then(() => undefined, toFailure);
      if (attempt !== this.#attempts) throw superseded();
      this.#isPending = false;
      const failure = toFailure(error);
      if (failure.code === 'expired') {
        this.#expire(token, how.isRefreshed === true);
      } else {
        this.#tellDeparture();
        // That there is no widget was told when it was found out.
        if (failure !== noWidget) tellFailure(failure);
      }
      throw failure;
    }
  }

  async logout(): Promise<void> {
    this.#attempts++;
    this.#isPending = false;
    this.#isSupplyDue = false;
    this.#parts.storage.clear();
    this.#leave();
    await this.#parts.started.catch(told);
    this.#tellDeparture();
  }

  refreshWith(supply: RosterTokenSupplier): void {
    this.#supply = supply;
    if (this.#isSupplyDue) this.#refresh();
  }

  /** Asks the service again, unless it was asked a moment ago: the token may have been revoked meanwhile. */
  async confirm(): Promise<void> {
    const [token, attempt] = [this.#token, this.#attempts];
    if (token === null || Date.now() - this.#confirmedAtMs < confirmedForMs) return;
    try {
      const confirmed = await this.#parts.service.identify(token);
      if (attempt === this.#attempts) this.#enter(token, confirmed, true);
    } catch (error) {
      if (attempt !== this.#attempts) return;
      if (toFailure(error).code === 'expired') this.#expire(token, false);
      // Out of reach is no reason to doubt a contact.
      else this.#planConfirmation(lookAgainMs);
    }
  }

  #enter(token: string, contact: RosterContact, isQuiet: boolean): void {
    const { storage, show } = this.#parts;
    const before = this.#contact ?? this.#departed;
    if (this.#departed?.id === contact.id) this.#departed = null;
    this.#token = token;
    this.#contact = contact;
    this.#confirmedAtMs = Date.now();
    storage.write(token);
    show(contact);
    const leftMs = Date.parse(contact.expiresAt) - Date.now();
    this.#planConfirmation(leftMs > 0 ? leftMs : lookAgainMs);
    this.#tellDeparture();
    // A listener may have called login or logout just now.
    if (this.#contact !== contact) return;
    if (!isQuiet || before?.id !== contact.id) tell('roster:login', { contact });
  }

  /** The visitor is anonymous from now on. That somebody left is told when it is known who comes. */
  #leave(): void {
    clearTimeout(this.#timer);
    this.#departed ??= this.#contact;
    this.#contact = null;
    this.#token = null;
    this.#parts.show(null);
  }

  #tellDeparture(): void {
    const contact = this.#departed;
    this.#departed = null;
    if (contact !== null) tell('roster:logout', { contact });
  }

  #expire(token: string, isRefreshed: boolean): void {
    const contact = this.#contact;
    // Another tab may have stored a better one just now.
    if (this.#parts.storage.read() === token) this.#parts.storage.clear();
    this.#leave();
    // Whose token this was did not log out.
    if (contact !== null) this.#departed = null;
    // Set before anything is told: a listener may log somebody in. A refused new token is not followed by a third.
    this.#isSupplyDue = !isRefreshed;
    this.#tellDeparture();
    tell('roster:expired', { contact });
    if (this.#isSupplyDue && this.#supply !== undefined) this.#refresh();
  }

  async #refresh(): Promise<void> {
    const attempt = this.#attempts;
    this.#isSupplyDue = false;
    try {
      const supplied = await this.#supply?.();
      const token = typeof supplied === 'object' ? supplied?.token : supplied;
      // Meanwhile the page may have logged somebody in or out itself.
      if (token == null || attempt !== this.#attempts) return;
      this.login(token, { isRefreshed: true }).catch(told);
    } catch (error) {
      tellFailure(
        new Failure('refresh_failed', `The function given to refreshWith failed: ${toFailure(error).message}`),
      );
    }
  }

  #planConfirmation(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#confirmedAtMs = 0;
        this.confirm();
      },
      Math.min(delayMs, timerMaxMs),
    );
  }

  /** Another page of the site logged somebody in or out. What this page is doing itself goes first. */
  #followStorage(): void {
    const token = this.#parts.storage.read();
    if (token === this.#token || this.#isPending || !this.#parts.storage.isReliable) return;
    if (token === null) this.logout();
    else this.login(token, { isQuiet: true }).catch(told);
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
  return new Failure('superseded', 'A later login or logout came in between.');
}

/** The page was told already, by an event. */
function told(): void {}
