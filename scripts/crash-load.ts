// The write load of the crash test and the failover test. Each writer owns its contacts and has one request in flight
// at a time, so that after a failure it knows exactly what must be stored: everything that was acknowledged, and either
// nothing or the whole of the one request in flight.
import { randomInt } from 'node:crypto';
import type { Send, Stored } from './first-bot.ts';

/** The fields of a contact that the load changes. Undefined when there is no contact. */
type State = { name: string; phone: string } | undefined;

const upsertMax = 50;

export class Writer {
  answeredWrites = 0;
  readonly #prefix: string;
  readonly #contactsMax: number;
  /** By email: the state that the last response acknowledged. */
  readonly #promised = new Map<string, State>();
  readonly #ids = new Map<string, string>();
  /** The states that the request in flight writes, all of them or none. */
  #inFlight: Map<string, State> | undefined;
  /** Problems found since the last check. */
  #problems: string[] = [];
  #made = 0;

  constructor(number: number, contactsMax: number) {
    this.#prefix = `w${number}`;
    this.#contactsMax = contactsMax;
  }

  get hasInFlight(): boolean {
    return this.#inFlight !== undefined;
  }

  /** Creates contacts to begin with. */
  async fill(send: Send, count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1000) {
      const emails = Array.from({ length: Math.min(1000, left) }, () => this.#newEmail());
      await this.#upsert(send, emails);
    }
  }

  /** Writes until the server is gone or the load is over. Throws on an unexpected response. */
  async write(send: Send, isOver: () => boolean = () => false): Promise<void> {
    while (!isOver()) {
      try {
        await this.#writeOnce(send);
        this.answeredWrites++;
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
        if (!(error instanceof Unavailable)) return;
        const stored = await this.#lookAgain(send, isOver);
        if (stored !== undefined) this.#settle(stored);
      }
    }
  }

  /**
   * Compares what is stored with what was acknowledged, and continues from what is stored. Returns one line per
   * problem, and removes this writer's contacts from `stored`.
   */
  check(stored: Map<string, Stored>): { problems: string[]; didHappen: boolean } {
    const didHappen = this.#settle(stored);
    for (const [email, state] of this.#promised) {
      const found = stored.get(email);
      if (differs(found, state)) {
        this.#problems.push(
          `an answered write is lost: ${email} should be ${describe(state)}, and is ${describe(found)}`,
        );
      }
      this.#adopt(email, found);
      stored.delete(email);
    }
    const problems = this.#problems;
    this.#problems = [];
    return { problems, didHappen };
  }

  /** Finds out whether the request in flight was applied, which must be as a whole or not at all. */
  #settle(stored: ReadonlyMap<string, Stored>): boolean {
    const inFlight = [...(this.#inFlight ?? [])];
    this.#inFlight = undefined;
    const isAsRequested = ([email, state]: [string, State]) => !differs(stored.get(email), state);
    const didHappen = inFlight.length > 0 && inFlight.every(isAsRequested);
    const kind = inFlight.some(isAsRequested) ? 'a request happened in part' : 'an answered write is lost';
    for (const [email, state] of inFlight) {
      const found = stored.get(email);
      const wanted = didHappen ? state : this.#promised.get(email);
      if (differs(found, wanted)) {
        this.#problems.push(`${kind}: ${email} should be ${describe(wanted)}, and is ${describe(found)}`);
      }
      this.#adopt(email, found);
    }
    return didHappen;
  }

  #adopt(email: string, found: Stored | undefined): void {
    const known = this.#ids.get(email);
    if (found !== undefined && known !== undefined && found.id !== known)
      this.#problems.push(`${email} has another id`);
    if (found === undefined) this.#ids.delete(email);
    else this.#ids.set(email, found.id);
    this.#promised.set(email, found && { name: found.name, phone: found.phone });
  }

  /**
   * Reads the contacts that the request in flight may have changed. Undefined when the load ends before that succeeds.
   */
  async #lookAgain(send: Send, isOver: () => boolean): Promise<Map<string, Stored> | undefined> {
    const stored = new Map<string, Stored>();
    for (const email of this.#inFlight?.keys() ?? []) {
      const path = `contacts?query=${encodeURIComponent(email)}`;
      let answer = await send('GET', path);
      while (answer.status === 503) {
        if (isOver()) return undefined;
        answer = await send('GET', path);
      }
      if (answer.status !== 200) throw new UnexpectedAnswer(`GET ${path}: ${answer.status}`);
      const [found] = (answer.json as { data: Stored[] }).data;
      if (found !== undefined) stored.set(email, found);
    }
    return stored;
  }

  async #writeOnce(send: Send): Promise<void> {
    const known = [...this.#ids.keys()];
    const pick = () => known[randomInt(known.length)] as string;
    const isFull = known.length >= this.#contactsMax;
    const dice = known.length === 0 ? 0 : randomInt(10);
    if (dice < 3 && !isFull) {
      const email = this.#newEmail();
      const state = newState();
      const { json } = await this.#send(send, 201, 'PUT', '', { email, ...state }, [[email, state]]);
      this.#ids.set(email, (json as { data: Stored }).data.id);
    } else if (dice < 6) {
      const email = pick();
      const state = newState();
      await this.#send(send, 200, 'PATCH', `/${this.#ids.get(email)}`, state, [[email, state]]);
    } else if (dice < 8) {
      const count = randomInt(1, upsertMax);
      const emails = new Set(
        Array.from({ length: count }, (_, i) => (isFull || i % 2 === 0 ? pick() : this.#newEmail())),
      );
      await this.#upsert(send, [...emails]);
    } else {
      const email = pick();
      await this.#send(send, 204, 'DELETE', `/${this.#ids.get(email)}`, undefined, [[email, undefined]]);
      this.#ids.delete(email);
    }
  }

  async #upsert(send: Send, emails: string[]): Promise<void> {
    const wanted = emails.map((email) => [email, newState()] as const);
    const body = { data: wanted.map(([email, state]) => ({ email, ...state })) };
    const { json } = await this.#send(send, 200, 'PATCH', '', body, wanted);
    for (const { index, id } of (json as { data: { index: number; id: string }[] }).data) {
      this.#ids.set(emails[index] as string, id);
    }
  }

  async #send(
    send: Send,
    wantedStatus: number,
    method: string,
    path: string,
    body: unknown,
    wanted: readonly (readonly [string, State])[],
  ) {
    this.#inFlight = new Map(wanted);
    const answer = await send(method, `contacts${path}`, body);
    if (answer.status === 503) throw new Unavailable();
    if (answer.status !== wantedStatus) {
      throw new UnexpectedAnswer(`${method} contacts${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
    }
    for (const [email, state] of wanted) this.#promised.set(email, state);
    this.#inFlight = undefined;
    return answer;
  }

  #newEmail(): string {
    return `${this.#prefix}.${++this.#made}@example.com`;
  }
}

/** A status that cannot follow from this writer's own writes: a write was applied twice, or someone else's was. */
export class UnexpectedAnswer extends Error {}

/** A 503, after which the write may or may not have been applied. */
class Unavailable extends Error {}

let states = 0;

function newState(): NonNullable<State> {
  return { name: `Version ${++states}`, phone: `+1 555 ${randomInt(10_000_000)}` };
}

function differs(found: Stored | undefined, wanted: State): boolean {
  return found?.name !== wanted?.name || found?.phone !== wanted?.phone;
}

function describe(state: State): string {
  return state === undefined ? 'gone' : `"${state.name}"`;
}
