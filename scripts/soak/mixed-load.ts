// One caller of a soak run: writes its own contacts, and reads, searches, exports and identifies them, one request at a time. Since
// nobody else touches them, it knows every answer in advance, totals included.
import { Random } from '../../packages/server/test/conformance/random.ts';
import { unlessBusy } from '../../packages/server/test/process/unless-busy.ts';
import { colours, UnexpectedAnswer, Writer } from '../crash-load.ts';
import { type Answer, exportAll, read, type Send, type Stored } from '../first-bot.ts';
import type { Link } from './traffic.ts';

interface Token {
  token: string;
  contactId: string;
  /** A request to revoke it had no answer. */
  isUncertain: boolean;
}

const importMax = 1000;
const tokensMax = 20;
/** Of two and more letters, so that no id contains them; none is so long that it could only be in one contact. */
const words = [...colours, 'version', 'example', 'am', 'ri', 'ol'];

export class MixedLoad {
  readonly writer: Writer;
  readonly #random: Random;
  #tokens: Token[] = [];

  constructor(number: number, contactsMax: number, seed: number) {
    this.writer = new Writer(number, contactsMax, { seed: seed + 2 * number });
    this.#random = new Random(seed + 2 * number + 1);
  }

  /** Until it is over, or the server is gone. Throws an UnexpectedAnswer on an answer that cannot be right. */
  async run(link: Link, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const dice = this.#random.below(100);
      if (dice < (this.writer.hasTooMany ? 90 : 40)) {
        const isImport = dice === 0 || this.writer.mayGrow;
        const importCount = isImport ? 1 + this.#random.below(importMax) : undefined;
        if (!(await this.writer.writeOne(link.send, isOver, importCount))) return;
        continue;
      }
      try {
        if (dice < 65) await this.#retrieve(link.send);
        else if (dice < 85) await this.#search(link.send);
        else if (dice < 87) await this.#export(link.send);
        else await this.#useToken(link);
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
        if (error instanceof Refused) continue;
        return;
      }
    }
  }

  /** When nothing is in flight: whether every token is as good as it should be. */
  async checkTokens({ identify }: Link): Promise<string[]> {
    const names = new Map(this.writer.contacts().map(({ id, state }) => [id, state.name]));
    const problems: string[] = [];
    for (const { token, contactId, isUncertain } of this.#tokens) {
      const { status, json } = await unlessBusy(() => identify(token));
      const found = status === 200 ? (json as { data: { id: string; name: string } }).data : undefined;
      const name = names.get(contactId);
      const isRight = name === undefined ? status === 401 : found?.id === contactId && found.name === name;
      if (!isRight && !(isUncertain && status === 401)) {
        problems.push(`a token of ${contactId} (${name ?? 'gone'}) is answered ${status} ${JSON.stringify(json)}`);
      }
    }
    this.#tokens = this.#tokens.filter(({ contactId, isUncertain }) => names.has(contactId) && !isUncertain);
    return problems;
  }

  async #retrieve(send: Send): Promise<void> {
    const contact = this.#pick();
    if (contact === undefined) return;
    const path = `contacts/${contact.id}`;
    const { json } = expect(200, await send('GET', path), path);
    const { email, name, phone } = (json as { data: Stored }).data;
    if (email !== contact.email || name !== contact.state.name || phone !== contact.state.phone) {
      throw new UnexpectedAnswer(`${path} is ${name} ${phone}, and should be ${contact.state.name}`);
    }
  }

  /** The total and the page of a search for this caller's contacts, beside the writes of all others. */
  async #search(send: Send): Promise<void> {
    const word = this.#random.pick(['', ...words]);
    const query = `${this.writer.word} ${word}`.trim();
    const matching = new Set(
      this.writer
        .contacts()
        .filter(({ email, state }) => `${email} ${state.name}`.toLowerCase().includes(word))
        .map(({ id }) => id),
    );
    const path = `contacts?limit=10&query=${encodeURIComponent(query)}`;
    const { json } = expect(200, await send('POST', path), path);
    const { data, pagination } = json as { data: Stored[]; pagination: { total: number } };
    if (pagination.total !== matching.size) {
      throw new UnexpectedAnswer(`the total of "${query}" is ${pagination.total}, and should be ${matching.size}`);
    }
    const isPage = data.length === Math.min(10, matching.size) && data.every(({ id }) => matching.has(id));
    if (!isPage) throw new UnexpectedAnswer(`the page of "${query}" has ${data.map(({ id }) => id).join()}`);
  }

  async #export(send: Send): Promise<void> {
    const expected = new Map(this.writer.contacts().map(({ email, id }) => [email, id]));
    const sendOrRefuse: Send = async (...request) => expect(200, await send(...request), request[1]);
    const stored = await exportAll(sendOrRefuse, this.writer.word);
    const isSame =
      stored.size === expected.size && stored.values().every(({ email, id }) => expected.get(email) === id);
    if (!isSame) {
      throw new UnexpectedAnswer(
        `the export of "${this.writer.word}" has ${stored.size}, not ${expected.size} contacts`,
      );
    }
  }

  async #useToken({ send, identify }: Link): Promise<void> {
    const dice = this.#random.below(10);
    const certain = this.#tokens.filter(({ isUncertain }) => !isUncertain);
    if (certain.length === 0 || (dice < 3 && this.#tokens.length < tokensMax)) {
      const contact = this.#pick();
      if (contact === undefined) return;
      const { json } = expect(200, await send('POST', 'auth/contact', { id: contact.id }), 'auth/contact');
      this.#tokens.push({ token: (json as Token).token, contactId: contact.id, isUncertain: false });
      return;
    }
    const used = this.#random.pick(certain);
    const contact = this.writer.contacts().find(({ id }) => id === used.contactId);
    if (dice < 8) {
      const { json } = expect(contact === undefined ? 401 : 200, await identify(used.token), 'a token');
      const { name } = (json as { data?: { name: string } }).data ?? {};
      if (name !== contact?.state.name) throw new UnexpectedAnswer(`a token names ${name}, not ${contact?.state.name}`);
    } else {
      used.isUncertain = true;
      const wanted = contact === undefined ? 404 : 204;
      const answer = await send('DELETE', `auth/contacts/${encodeURIComponent(used.token)}`);
      if (answer.status === 503 && !answer.isOutcomeUnknown) used.isUncertain = false;
      expect(wanted, answer, 'auth/contacts/…');
      expect(401, await identify(used.token), 'a revoked token');
    }
    if (contact === undefined || dice >= 8) this.#tokens = this.#tokens.filter((token) => token !== used);
  }

  #pick() {
    const contacts = [...this.writer.contacts()];
    return contacts.length === 0 ? undefined : this.#random.pick(contacts);
  }
}

/** The totals of the whole bot, in which all callers write: exact when none does, and they are counted anew. */
export async function checkTotals(send: Send, stored: ReadonlyMap<string, Stored>): Promise<string[]> {
  const texts = stored
    .values()
    .map(({ email, name }) => `${email} ${name}`.toLowerCase())
    .toArray();
  const problems: string[] = [];
  for (const word of words) {
    const json = await read(send, 'POST', `contacts?limit=1&query=${word}`, { 'cache-control': 'no-cache' });
    const { total } = (json as { pagination: { total: number } }).pagination;
    const expected = texts.filter((text) => text.includes(word)).length;
    if (total !== expected) problems.push(`the total of "${word}" is ${total}, and should be ${expected}`);
  }
  return problems;
}

/** A 503, which `traffic.ts` has judged. */
class Refused extends Error {}

function expect(status: number, answer: Answer, what: string): Answer {
  if (answer.status === 503) throw new Refused();
  if (answer.status === status) return answer;
  throw new UnexpectedAnswer(`${what}: ${answer.status}, not ${status}: ${JSON.stringify(answer.json)}`);
}
