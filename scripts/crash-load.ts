// The write load of the crash test. Each writer owns its contacts and does one thing at a time, so that after a crash
// it knows exactly what must be there: what was answered, and at most one request that may have happened or not.
import { randomInt } from 'node:crypto';

/** What a contact is, as far as the load changes it. Undefined: there is none. */
export type State = { name: string; phone: string } | undefined;

export interface Stored {
  id: string;
  email: string;
  name: string;
  phone: string;
}

/** Sends a request about the bot's contacts; rejects when no complete answer came. */
export type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; json: unknown }>;

const upsertMax = 50;

export class Writer {
  answeredWrites = 0;
  readonly #prefix: string;
  readonly #contactsMax: number;
  /** By email: the state that the last answer promised. */
  readonly #promised = new Map<string, State>();
  readonly #ids = new Map<string, string>();
  /** The states that the request under way asks for, all of them or none. */
  #underWay: Map<string, State> | undefined;
  #made = 0;

  constructor(number: number, contactsMax: number) {
    this.#prefix = `w${number}`;
    this.#contactsMax = contactsMax;
  }

  get hasUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** Creates contacts to begin with. */
  async fill(send: Send, count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1000) {
      const emails = Array.from({ length: Math.min(1000, left) }, () => this.#newEmail());
      await this.#upsert(send, emails);
    }
  }

  /** Writes until the server is gone. Throws when an answer is not the one it should be. */
  async write(send: Send): Promise<void> {
    for (;;) {
      try {
        await this.#writeOnce(send);
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
        return;
      }
      this.answeredWrites++;
    }
  }

  /**
   * Compares what is stored with what was promised, and goes on from there. Returns what is wrong, a line each, and
   * takes what it knows out of `stored`.
   */
  check(stored: Map<string, Stored>): { problems: string[]; didHappen: boolean } {
    const problems: string[] = [];
    const differs = (email: string, wanted: State): boolean => {
      const found = stored.get(email);
      return found?.name !== wanted?.name || found?.phone !== wanted?.phone;
    };
    const underWay = this.#underWay ?? new Map<string, State>();
    const didHappen = underWay.size > 0 && ![...underWay].some(([email, state]) => differs(email, state));
    if (didHappen) for (const [email, state] of underWay) this.#promised.set(email, state);
    for (const [email, state] of this.#promised) {
      if (!differs(email, state)) continue;
      const kind = underWay.has(email) ? 'a request under way happened in part' : 'an answered write is lost';
      problems.push(`${kind}: ${email} should be ${describe(state)}, and is ${describe(stored.get(email))}`);
    }
    for (const email of [...this.#promised.keys(), ...underWay.keys()]) {
      const found = stored.get(email);
      const known = this.#ids.get(email);
      if (found !== undefined && known !== undefined && found.id !== known) problems.push(`${email} has another id`);
      if (found === undefined) this.#ids.delete(email);
      else this.#ids.set(email, found.id);
      stored.delete(email);
    }
    this.#underWay = undefined;
    return { problems, didHappen };
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
    this.#underWay = new Map(wanted);
    const answer = await send(method, `contacts${path}`, body);
    if (answer.status !== wantedStatus) {
      throw new UnexpectedAnswer(`${method} contacts${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
    }
    for (const [email, state] of wanted) this.#promised.set(email, state);
    this.#underWay = undefined;
    return answer;
  }

  #newEmail(): string {
    return `${this.#prefix}.${++this.#made}@example.com`;
  }
}

class UnexpectedAnswer extends Error {}

let states = 0;

function newState(): NonNullable<State> {
  return { name: `Version ${++states}`, phone: `+1 555 ${randomInt(10_000_000)}` };
}

function describe(state: State): string {
  return state === undefined ? 'gone' : `"${state.name}"`;
}
