// A writer of the feed test: random changes, one request at a time, to contacts, attributes and tags of its own, and to contacts that
// all writers share. What each answer promises goes into the ledger.
import { EmailTakenError, type Roster, type UpsertRow } from '@roster/client';
import { Random } from '../../packages/server/test/conformance/random.ts';
import { attempt, unlessMissing } from './attempt.ts';
import type { ExportedContact, Ledger } from './ledger.ts';
import { changeRandomly, type Effect, newContact, type OwnContact } from './own-contact.ts';
import { OwnFields } from './own-fields.ts';

const contactsMax = 150;
const upsertMax = 20;
const deleteMax = 10;
const sharedEmails = Array.from({ length: 30 }, (_, number) => `shared.${number}@example.com`);

export class Writer {
  readonly #roster: Roster;
  readonly #ledger: Ledger;
  readonly #random: Random;
  readonly #word: string;
  /** Those whose state is certain. */
  #contacts: OwnContact[] = [];
  readonly #fields: OwnFields;
  #made = 0;

  /** The client must not retry: the ledger counts each request. */
  constructor(number: number, roster: Roster, ledger: Ledger, seed: number) {
    this.#roster = roster;
    this.#ledger = ledger;
    this.#random = new Random(seed);
    this.#word = `writer${number}`;
    this.#fields = new OwnFields({ roster, ledger, random: this.#random, unique: () => this.#unique() });
  }

  /** Throws on an answer that cannot be right. `mayChangeAll`: whether attributes and tags of all contacts are changed too. */
  async run({ isOver, mayChangeAll }: Record<'isOver' | 'mayChangeAll', () => boolean>): Promise<void> {
    const changes: [share: number, change: () => Promise<unknown>][] = [
      [22, () => this.#create()],
      [30, () => this.#update()],
      [14, () => this.#upsert()],
      [10, () => this.#delete()],
      [3, () => this.#deleteMany()],
      [6, () => this.#deleteShared()],
      [6, () => this.#createToken()],
      [4, () => this.#revokeToken()],
      [2, () => this.#createTaken()],
    ];
    const changesOfAll: typeof changes = [
      [1, () => this.#fields.deleteAttribute(this.#contacts)],
      [1, () => this.#fields.renameTag(this.#contacts)],
      [1, () => this.#fields.deleteTag(this.#contacts)],
    ];
    const drawn = (shares: typeof changes) =>
      shares.flatMap(([share, change]) => Array.from({ length: share }, () => change));
    const [some, all] = [drawn(changes), drawn([...changes, ...changesOfAll])];
    await this.#fields.prepare();
    while (!isOver()) await this.#random.pick(mayChangeAll() ? all : some)();
  }

  /** Compares all contacts whose state is certain, when nobody writes any more. */
  check(exported: ReadonlyMap<string, ExportedContact>): string[] {
    return this.#contacts.flatMap((contact) => {
      const found = exported.get(contact.id ?? '');
      const wanted = this.#stateOf(contact, contact.attributes.entries(), contact.tags);
      const stored = found && this.#stateOf(found, Object.entries(found.attributes), found.tags);
      return wanted === stored ? [] : [`${contact.id} is ${stored}, and should be ${wanted}`];
    });
  }

  #stateOf(
    { name, email, phone }: Pick<ExportedContact, 'name' | 'email' | 'phone'>,
    attributes: Iterable<[string, unknown]>,
    tags: Iterable<string>,
  ): string {
    const certainAttributes = [...attributes].filter(([key]) => this.#fields.isCertain(key)).sort();
    const certainTags = [...tags].filter((tag) => this.#fields.isCertain(tag)).sort();
    return JSON.stringify([name, email, phone, certainAttributes, certainTags]);
  }

  async #create(): Promise<void> {
    if (this.#contacts.length >= contactsMax) return this.#delete();
    const { contact, input, effect } = this.#newOne();
    const created = await this.#request([effect], () => this.#roster.contacts.create(input));
    if (created === undefined) return;
    contact.id = created.data.id;
    this.#contacts.push(contact);
  }

  async #createTaken(): Promise<void> {
    const contact = this.#pick();
    if (contact === undefined) return;
    const { email } = contact;
    const error = await this.#request([], () =>
      this.#roster.contacts.create({ name: 'Another', email }).catch((thrown) => {
        if (thrown instanceof EmailTakenError) return thrown;
        throw thrown;
      }),
    );
    if (error !== undefined && !(error instanceof EmailTakenError)) throw new Error(`${email} was created twice`);
  }

  async #update(): Promise<void> {
    const contact = this.#pick();
    if (contact === undefined) return this.#create();
    const always = this.#random.isOneIn(10) ? { email: this.#newEmail() } : {};
    const { input, effect } = changeRandomly(this.#random, contact, this.#fields, always);
    await this.#request([effect], () => this.#roster.contacts.update(contact.id ?? '', input));
  }

  /** Some of its own, known and new, and some that others change at the same time. */
  async #upsert(): Promise<void> {
    const count = 1 + this.#random.below(upsertMax);
    const known = new Set(Array.from({ length: count }, () => this.#pick()).filter((contact) => contact !== undefined));
    const changed = [...known].map((contact) => {
      const { input, effect } = changeRandomly(this.#random, contact, this.#fields);
      return { contact, input: { ...input, email: contact.email }, effect };
    });
    const created = this.#contacts.length < contactsMax ? this.#random.many(count, () => this.#newOne()) : [];
    const shared = new Set(this.#random.many(3, () => this.#random.pick(sharedEmails)));
    const items = [...changed, ...created];
    const inputs = [
      ...items.map(({ input }) => input),
      ...[...shared].map((email) => ({ email, name: this.#unique() })),
    ];
    if (inputs.length === 0) return;

    const effects = items.map(({ effect }) => effect);
    const result = await this.#request(
      effects,
      () => this.#roster.contacts.upsert(inputs, { include: ['outcome'] }),
      shared.size,
    );
    for (const row of result?.data ?? []) this.#adopt(row, effects[row.index]);
    if (result !== undefined) this.#contacts.push(...created.map(({ contact }) => contact));
  }

  /** What the answer to an upsert says of one item: of a shared contact, if it has no effect on an own one. */
  #adopt({ id, outcome }: UpsertRow, effect: Effect | undefined): void {
    if (effect === undefined) {
      if (outcome === 'unchanged' || outcome === undefined) throw new Error(`the outcome of ${id} is ${outcome}`);
      this.#ledger.noteShared(id, `contact.${outcome}`);
      return;
    }
    const { contact, event } = effect;
    contact.id ??= id;
    const expected = event?.replace(/^contact\.| .*/g, '') ?? 'unchanged';
    if (contact.id !== id || outcome !== expected)
      throw new Error(`${contact.email} is ${id} and ${outcome}, not ${expected}`);
  }

  async #delete(): Promise<void> {
    const contact = this.#pick();
    if (contact === undefined) return;
    const deleted = await this.#request([deletionOf(contact)], () => this.#roster.contacts.delete(contact.id ?? ''));
    if (deleted !== undefined) this.#forget([contact]);
  }

  async #deleteMany(): Promise<void> {
    const own = [...new Set(this.#random.many(deleteMax, () => this.#pick()))].filter((each) => each !== undefined);
    const shared = [...this.#ledger.sharedIds].slice(0, this.#random.below(3));
    const ids = [...own.map(({ id }) => id ?? ''), ...shared];
    if (ids.length === 0) return;
    const result = await this.#request(own.map(deletionOf), () => this.#roster.contacts.deleteMany(ids), shared.length);
    if (result !== undefined) this.#forget(own);
    for (const { index, id, isDeleted } of result?.data ?? []) {
      if (index < own.length && !isDeleted) throw new Error(`${id} was not there to be deleted`);
      if (index >= own.length) this.#noteSharedDeletion(id, isDeleted);
    }
  }

  async #deleteShared(): Promise<void> {
    const ids = [...this.#ledger.sharedIds];
    if (ids.length === 0) return;
    const id = this.#random.pick(ids);
    const deleted = await this.#request([], () => unlessMissing(this.#roster.contacts.delete(id)), 1);
    if (deleted !== undefined) this.#noteSharedDeletion(id, deleted !== 'missing');
  }

  /** If it was not there, a request without an answer has deleted it, or one whose answer is on its way. */
  #noteSharedDeletion(id: string, isDeleted: boolean): void {
    if (isDeleted) this.#ledger.noteShared(id, 'contact.deleted');
    else this.#ledger.sharedIds.delete(id);
  }

  async #createToken(): Promise<void> {
    const contact = this.#pick();
    if (contact?.id === undefined) return;
    const { id } = contact;
    const effect = { contact, event: 'token.created', apply() {} };
    const result = await this.#request([effect], () => this.#roster.auth.contacts.tokenize({ id }));
    if (result !== undefined) contact.tokens.push(result.data.token);
  }

  async #revokeToken(): Promise<void> {
    const contact = this.#contacts.find(({ tokens }) => tokens.length > 0);
    const contactToken = contact?.tokens.pop();
    if (contact === undefined || contactToken === undefined) return;
    const effect = { contact, event: 'token.revoked', apply() {} };
    await this.#request([effect], () => this.#roster.auth.contacts.revoke({ contactToken }));
  }

  /** Undefined when it was not answered. If it may have happened all the same, its contacts are left alone from then on. */
  async #request<Answer>(effects: readonly Effect[], send: () => Promise<Answer>, sharedCount = 0) {
    const outcome = await attempt(send);
    if (outcome === 'uncertain') {
      this.#ledger.noteUncertain(effects, sharedCount);
      this.#forget(effects.map(({ contact }) => contact));
    }
    if (typeof outcome === 'string') return undefined;
    this.#ledger.note(effects);
    return outcome.answer;
  }

  #forget(contacts: readonly OwnContact[]): void {
    this.#contacts = this.#contacts.filter((contact) => !contacts.includes(contact));
  }

  #newOne() {
    const contact = newContact(this.#newEmail());
    const always = { name: this.#unique() };
    const { input, effect } = changeRandomly(this.#random, contact, this.#fields, always);
    return { contact, input: { ...input, ...always, email: contact.email }, effect };
  }

  #pick(): OwnContact | undefined {
    return this.#contacts.length === 0 ? undefined : this.#random.pick(this.#contacts);
  }

  #newEmail(): string {
    return `${this.#unique()}@example.com`;
  }

  /** Fits for the key of an attribute too. */
  #unique(): string {
    return `${this.#word}_${++this.#made}`;
  }
}

function deletionOf(contact: OwnContact): Effect {
  return { contact, event: 'contact.deleted', apply() {} };
}
