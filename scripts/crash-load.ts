// The write load of the crash, power cut, failover and soak tests. Each writer owns its contacts and has one request in flight
// at a time, so that after a failure it knows exactly what must be stored: everything that was acknowledged, and either
// nothing or the whole of the one request in flight.
import { randomInt } from 'node:crypto';
import { Random } from '../packages/server/test/conformance/random.ts';
import type { Send, Stored } from './first-bot.ts';

/** The fields of a contact that the load changes. Undefined when there is no contact. */
export type State = { name: string; phone: string } | undefined;

export type Changes = readonly (readonly [email: string, state: State])[];

/** Is called with the changes of each write before it is sent; what it returns is called when the write was answered. */
export type Observe = (changes: Changes) => () => void;

const upsertMax = 50;
/** Beyond this share of its maximum a writer only deletes. */
const overfull = 1.3;
const largeNameLength = 240;
/** Words in the names, for searches that find a part of the contacts. */
export const colours = ['amber', 'blue', 'crimson', 'green', 'indigo', 'violet'];

export class Writer {
  answeredWrites = 0;
  /** To fill a disk: imports create all of their contacts, beyond the maximum, and large ones. */
  mayGrow = false;
  /** A word that all contacts of this writer have, and no others. */
  readonly word: string;
  readonly #random: Random;
  readonly #observe: Observe | undefined;
  readonly #contactsMax: number;
  /** By email: the state that the last response acknowledged. */
  readonly #promised = new Map<string, State>();
  readonly #ids = new Map<string, string>();
  /** The states that the request in flight writes, all of them or none. */
  #inFlight: Map<string, State> | undefined;
  /** The request in flight was answered with a 503, which says that nothing was written. */
  #isRefused = false;
  /** Problems found since the last check. */
  #problems: string[] = [];
  #made = 0;

  constructor(
    number: number,
    contactsMax: number,
    { seed = randomInt(2 ** 31), observe }: { seed?: number; observe?: Observe } = {},
  ) {
    // Letters alone: an id never contains two of them side by side.
    this.word = `writer${String.fromCharCode(97 + Math.floor(number / 26), 97 + (number % 26))}`;
    this.#random = new Random(seed);
    this.#observe = observe;
    this.#contactsMax = contactsMax;
  }

  /** It only deletes then. */
  get hasTooMany(): boolean {
    return this.#ids.size > this.#contactsMax * overfull;
  }

  get hasInFlight(): boolean {
    return this.#inFlight !== undefined;
  }

  /** Creates contacts to begin with. What is refused is sent again. */
  async fill(send: Send, count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1000) {
      const emails = Array.from({ length: Math.min(1000, left) }, () => this.#newEmail());
      while (await isUnavailable(this.#upsert(send, emails))) {
        // The same contacts again.
      }
    }
  }

  /** Writes until the server is gone or the load is over. Throws on an unexpected response. */
  async write(send: Send, isOver: () => boolean = () => false): Promise<void> {
    while (!isOver() && (await this.writeOne(send, isOver))) {
      // The next write.
    }
  }

  /** One write, of random contacts, or an import of so many. Returns false when the server is gone. */
  async writeOne(send: Send, isOver: () => boolean, importCount?: number): Promise<boolean> {
    try {
      await (importCount === undefined ? this.#writeRandom(send) : this.#upsertSome(send, importCount));
      this.answeredWrites++;
    } catch (error) {
      if (error instanceof UnexpectedAnswer) throw error;
      if (!(error instanceof Unavailable)) return false;
      try {
        const stored = await this.#lookAgain(send, isOver);
        if (stored !== undefined) this.#settle(stored);
      } catch (failure) {
        if (failure instanceof UnexpectedAnswer) throw failure;
        return false;
      }
    }
    return true;
  }

  /** The contacts that must be stored now. Nothing is certain about those of a request in flight. */
  *contacts(): Generator<{ email: string; id: string; state: NonNullable<State> }> {
    for (const [email, id] of this.#ids) {
      const state = this.#promised.get(email);
      if (state !== undefined && !this.#inFlight?.has(email)) yield { email, id, state };
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
      // No email is used again: who finds it later finds a contact that nobody has written.
      if (found === undefined) this.#promised.delete(email);
      stored.delete(email);
    }
    const problems = this.#problems;
    this.#problems = [];
    return { problems, didHappen };
  }

  /** Finds out whether the request in flight was applied, which must be as a whole or not at all. */
  #settle(stored: ReadonlyMap<string, Stored>): boolean {
    const inFlight = [...(this.#inFlight ?? [])];
    const isRefused = this.#isRefused;
    this.#inFlight = undefined;
    this.#isRefused = false;
    const isAsRequested = ([email, state]: [string, State]) => !differs(stored.get(email), state);
    const didHappen = inFlight.length > 0 && inFlight.every(isAsRequested);
    if (didHappen && isRefused) this.#problems.push(`a refused write happened: ${inFlight[0]?.[0]}`);
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
    const emails = [...(this.#inFlight?.keys() ?? [])];
    // An import is looked for in the export of all contacts of this writer.
    const isMany = emails.length > upsertMax;
    const paths = isMany
      ? [`export?query=${this.word}`]
      : emails.map((email) => `contacts?query=${encodeURIComponent(email)}`);
    const stored = new Map<string, Stored>();
    for (const path of paths) {
      const answer = await send('GET', path);
      if (answer.status === 503 && isOver()) return undefined;
      if (answer.status !== 200 && answer.status !== 503) {
        throw new UnexpectedAnswer(`GET ${path}: ${answer.status}`);
      }
      if (answer.status === 503) {
        paths.push(path);
        continue;
      }
      const { data, next } = answer.json as { data: Stored[]; next?: string | null };
      for (const contact of data) stored.set(contact.email, contact);
      if (next) paths.push(`export?query=${this.word}&after=${next}`);
    }
    return stored;
  }

  async #writeRandom(send: Send): Promise<void> {
    const known = [...this.#ids.keys()];
    const deletes = 9;
    const dice = known.length === 0 ? 0 : this.hasTooMany ? deletes : this.#random.below(10);
    if (dice < 3 && known.length < this.#contactsMax) {
      const email = this.#newEmail();
      const state = this.#newState();
      const { json } = await this.#send(send, 201, 'PUT', '', { email, ...state }, [[email, state]]);
      this.#ids.set(email, (json as { data: Stored }).data.id);
    } else if (dice < 6) {
      const email = this.#random.pick(known);
      const state = this.#newState();
      await this.#send(send, 200, 'PATCH', `/${this.#ids.get(email)}`, state, [[email, state]]);
    } else if (dice < 8) {
      await this.#upsertSome(send, 1 + this.#random.below(upsertMax));
    } else {
      const email = this.#random.pick(known);
      await this.#send(send, 204, 'DELETE', `/${this.#ids.get(email)}`, undefined, [[email, undefined]]);
      this.#ids.delete(email);
    }
  }

  /** Half of them are known; all when there are as many contacts as there may be, and none when there may be more. */
  async #upsertSome(send: Send, count: number): Promise<void> {
    const known = [...this.#ids.keys()];
    const isFull = known.length >= this.#contactsMax;
    const isKnown = (index: number) => known.length > 0 && !this.mayGrow && (isFull || index % 2 === 0);
    const emails = Array.from({ length: count }, (_, index) =>
      isKnown(index) ? this.#random.pick(known) : this.#newEmail(),
    );
    await this.#upsert(send, [...new Set(emails)]);
  }

  async #upsert(send: Send, emails: string[]): Promise<void> {
    const wanted = emails.map((email) => [email, this.#newState()] as const);
    const body = { data: wanted.map(([email, state]) => ({ email, ...state })) };
    const { json } = await this.#send(send, 200, 'PATCH', '', body, wanted);
    for (const { index, id } of (json as { data: { index: number; id: string }[] }).data) {
      this.#ids.set(emails[index] as string, id);
    }
  }

  async #send(send: Send, wantedStatus: number, method: string, path: string, body: unknown, wanted: Changes) {
    this.#inFlight = new Map(wanted);
    const onAnswered = this.#observe?.(wanted);
    const answer = await send(method, `contacts${path}`, body);
    if (answer.status === 503) {
      this.#isRefused = answer.isOutcomeUnknown === false;
      throw new Unavailable();
    }
    if (answer.status !== wantedStatus) {
      throw new UnexpectedAnswer(`${method} contacts${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
    }
    onAnswered?.();
    for (const [email, state] of wanted) this.#promised.set(email, state);
    this.#inFlight = undefined;
    return answer;
  }

  #newEmail(): string {
    return `${this.word}.${++this.#made}@example.com`;
  }

  #newState(): NonNullable<State> {
    let name = `Version ${++states} ${this.#random.pick(colours)}`;
    // Digits, which no search here is for; each makes an entry of the index.
    while (this.mayGrow && name.length < largeNameLength) name += ` ${this.#random.below(1e12)}`;
    return { name, phone: `+1 555 ${this.#random.below(10_000_000)}` };
  }
}

/** A status that cannot follow from this writer's own writes: a write was applied twice, or someone else's was. */
export class UnexpectedAnswer extends Error {}

/** A 503, after which the write may have been applied only if the answer says so. */
class Unavailable extends Error {}

async function isUnavailable(sending: Promise<void>): Promise<boolean> {
  try {
    await sending;
    return false;
  } catch (error) {
    if (error instanceof Unavailable) return true;
    throw error;
  }
}

let states = 0;

export function differs(found: Stored | undefined, wanted: State): boolean {
  return found?.name !== wanted?.name || found?.phone !== wanted?.phone;
}

export function describe(state: State): string {
  return state === undefined ? 'gone' : `"${state.name}"`;
}
