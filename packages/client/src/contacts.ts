// The contact operations: which request each method sends, and what it resolves with.
import type {
  Contact,
  ContactCreate,
  ContactExport,
  ContactSearch,
  ContactUpdate,
  ContactUpsert,
  DeletedRow,
  Pagination,
  UpsertRow,
} from './api-types.ts';
import { operations } from './operations.ts';
import type { RequestOptions, Transport } from './transport.ts';
import { upsertAll } from './upsert-all.ts';
import type { UpsertAllOptions, UpsertAllTotals, UpsertOptions } from './upsert-types.ts';
import { walkAll, walkMatches } from './walk.ts';

/** What a call resolves with. */
export interface Result<Data> {
  status: number;
  data: Data;
}

export interface SearchResult extends Result<Contact[]> {
  pagination: Pagination;
}

export interface ExportResult extends Result<Contact[]> {
  /** `after` of the next page; `null` on the last. */
  next: string | null;
}

export class Contacts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a contact. Rejects with `EmailTakenError` when the bot has one with this email.
   *
   * It is not retried when the answer is lost, because the retry would conflict with the contact of the first try:
   * check `isOutcomeUnknown` of the error, or use `upsert`.
   */
  async create(contact: ContactCreate, options?: RequestOptions): Promise<Result<Contact>> {
    const call = { operation: operations.createContact, body: contact };
    const { status, body } = await this.#transport.call<{ data: Contact }>(call, options);
    return { status, data: body.data };
  }

  /**
   * Creates or updates up to 1000 contacts, matched by email: all or none. Rejects with `ValidationError` when an item
   * is invalid; its `errors` list all of them. Use `upsertAll` for more contacts.
   */
  async upsert(contacts: readonly ContactUpsert[], options: UpsertOptions = {}): Promise<Result<UpsertRow[]>> {
    const query = { include: options.include?.join(',') };
    const call = { operation: operations.upsertContacts, query, body: { data: contacts } };
    const { status, body } = await this.#transport.call<{ data: UpsertRow[] }>(call, options);
    return { status, data: body.data };
  }

  /**
   * Creates or updates any number of contacts, from an array, a generator or a stream. Invalid rows are reported with
   * their reasons, and the others are written. Rows with the same email are applied in the order of the source.
   */
  async upsertAll(
    source: Iterable<ContactUpsert> | AsyncIterable<ContactUpsert>,
    options: UpsertAllOptions = {},
  ): Promise<UpsertAllTotals> {
    const { signal, timeoutMs, maxRetries, include } = options;
    const upsert = (rows: readonly ContactUpsert[]) => this.upsert(rows, { signal, timeoutMs, maxRetries, include });
    return upsertAll(upsert, source, options);
  }

  /** One page of the contacts that match, newest first; of all contacts, without a query. */
  async search(search: ContactSearch = {}, options?: RequestOptions): Promise<SearchResult> {
    const { query, page, limit } = search;
    const call = { operation: operations.searchContacts, query: { query, page, limit } };
    const { status, body } = await this.#transport.call<Omit<SearchResult, 'status'>>(call, options);
    return { status, data: body.data, pagination: body.pagination };
  }

  /** One page of all contacts, or of those that match a query, oldest first. `exportAll` yields all pages. */
  async export(page: ContactExport = {}, options?: RequestOptions): Promise<ExportResult> {
    const { query, after, limit } = page;
    const call = { operation: operations.exportContacts, query: { query, after, limit } };
    const { status, body } = await this.#transport.call<Omit<ExportResult, 'status'>>(call, options);
    return { status, data: body.data, next: body.next };
  }

  /**
   * Every contact, or every one that matches a query, oldest first, by `export`. Prefer it to `iterate` for many: its
   * pages are larger, and cost the same at any depth.
   */
  exportAll({ query }: { query?: string | undefined } = {}, options?: RequestOptions): AsyncGenerator<Contact, void> {
    return walkAll((page) => this.export({ ...page, query }, options));
  }

  /**
   * Every contact that matches, newest first; without a query every contact of the bot, oldest first. Pages are fetched
   * as they are needed. A contact that matches during the whole iteration is yielded exactly once, whatever is written
   * meanwhile.
   */
  iterate(
    { query = '' }: { query?: string | undefined } = {},
    options?: RequestOptions,
  ): AsyncGenerator<Contact, void> {
    return query.trim() === ''
      ? this.exportAll({}, options)
      : walkMatches((page) => this.search({ ...page, query }, options));
  }

  /** Rejects with `NotFoundError` when there is no such contact. */
  async retrieve(id: string, options?: RequestOptions): Promise<Result<Contact>> {
    const call = { operation: operations.retrieveContact, path: { contactId: id } };
    const { status, body } = await this.#transport.call<{ data: Contact }>(call, options);
    return { status, data: body.data };
  }

  /** Changes the given fields, and resolves with the contact as it is now. */
  async update(id: string, changes: ContactUpdate, options?: RequestOptions): Promise<Result<Contact>> {
    const call = { operation: operations.updateContact, path: { contactId: id }, body: changes };
    const { status, body } = await this.#transport.call<{ data: Contact }>(call, options);
    return { status, data: body.data };
  }

  /**
   * Deletes a contact, and its tokens with it. Rejects with `NotFoundError` when there is no such contact; but when the
   * answer to a first try was lost, a second try that finds none is a success: 204.
   */
  async delete(id: string, options?: RequestOptions): Promise<Result<null>> {
    const call = { operation: operations.deleteContact, path: { contactId: id } };
    const { status } = await this.#transport.call<null>(call, options);
    return { status, data: null };
  }

  /**
   * Deletes up to 1000 contacts, and their tokens with them, in one transaction. An id that no contact has is no error:
   * its row says `isDeleted: false`. So do all rows whose contacts a first try deleted, when its answer was lost.
   */
  async deleteMany(ids: readonly string[], options?: RequestOptions): Promise<Result<DeletedRow[]>> {
    const call = { operation: operations.deleteContacts, body: { ids } };
    const { status, body } = await this.#transport.call<{ data: DeletedRow[] }>(call, options);
    return { status, data: body.data };
  }
}
