// The contact operations: which request each method sends, and what it resolves with.
import { includeParameter } from './address.ts';
import type {
  Contact,
  ContactCreate,
  ContactInclude,
  ContactUpdate,
  ContactUpsert,
  ContactWith,
  DeletedRow,
  FieldError,
  Including,
  Pagination,
  UpsertRow,
} from './api-types.ts';
import type { AttributeValues } from './attribute-types.ts';
import { UsageError } from './errors.ts';
import { type IfMatch, ifMatchHeader } from './etag.ts';
import { filterParameters } from './filter-parameters.ts';
import type { ContactExport, ContactKey, ContactSearch, ContactSelection } from './filter-types.ts';
import { type Effect, operations } from './operations.ts';
import type { RequestOptions, Result, Transport } from './transport.ts';
import { upsertAll } from './upsert-all.ts';
import type { UpsertAllOptions, UpsertAllTotals, UpsertOptions } from './upsert-types.ts';
import { walkAll, walkMatches } from './walk.ts';

export interface SearchOptions extends RequestOptions {
  /** Counts all that match anew. Left out: the total may be some seconds old where more than 10,000 do. */
  isFresh?: boolean | undefined;
}

export interface SearchResult<Item = Contact> extends Result<Item[]> {
  pagination: Pagination;
}

export interface ExportResult<Item = Contact> extends Result<Item[]> {
  /** `after` of the next page; `null` on the last. */
  next: string | null;
}

export interface UpsertResult extends Result<UpsertRow[]> {
  /** Only with `onError: 'skip'`: what is wrong with the items that have no row. */
  errors?: FieldError[] | undefined;
}

type IncludingOptions<Include extends ContactInclude> = RequestOptions & Including<Include>;

export class Contacts<Attributes = AttributeValues> {
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
  async create<Include extends ContactInclude = never>(
    contact: ContactCreate<Attributes>,
    options?: IncludingOptions<Include>,
  ): Promise<Result<ContactWith<Include, Attributes>>> {
    const call = {
      operation: operations.createContact,
      query: { include: includeParameter(options?.include) },
      body: contact,
    };
    return this.#transport.resultOf(call, options);
  }

  /**
   * Creates or updates up to 1000 contacts, matched by email: all or none. Rejects with `ValidationError` when an item
   * is invalid; its `errors` list them, up to 100. Use `upsertAll` for more contacts.
   *
   * With `onError: 'skip'` the valid items are written, and `errors` of the result says what is wrong with the others.
   */
  async upsert(
    contacts: readonly ContactUpsert<Attributes>[],
    options: UpsertOptions & { onError: 'skip' },
  ): Promise<UpsertResult & { errors: FieldError[] }>;
  async upsert(contacts: readonly ContactUpsert<Attributes>[], options?: UpsertOptions): Promise<UpsertResult>;
  async upsert(contacts: readonly ContactUpsert<Attributes>[], options: UpsertOptions = {}): Promise<UpsertResult> {
    const query = { include: includeParameter(options.include), onError: options.onError };
    const call = { operation: operations.upsertContacts, query, body: { data: contacts } };
    const { status, body } = await this.#transport.call<Omit<UpsertResult, 'status'>>(call, options);
    return { status, data: body.data, ...(options.onError !== undefined && { errors: body.errors }) };
  }

  /**
   * Creates or updates any number of contacts, from an array, a generator or a stream. Invalid rows are reported with
   * their reasons, and the others are written. Rows with the same email are applied in the order of the source.
   */
  async upsertAll(
    source: Iterable<ContactUpsert<Attributes>> | AsyncIterable<ContactUpsert<Attributes>>,
    options: UpsertAllOptions = {},
  ): Promise<UpsertAllTotals> {
    const { signal, timeoutMs, maxRetries, include } = options;
    const onError = options.invalidRows === 'stop' ? undefined : 'skip';
    const upsertOptions: UpsertOptions = { signal, timeoutMs, maxRetries, include, onError };
    const upsert = (rows: readonly ContactUpsert[]) =>
      this.upsert(rows as readonly ContactUpsert<Attributes>[], upsertOptions);
    return upsertAll(upsert, source as Iterable<ContactUpsert> | AsyncIterable<ContactUpsert>, options);
  }

  /** One page of the contacts that match, newest first unless `sort` says otherwise. */
  async search<Include extends ContactInclude = never>(
    search: ContactSearch<Attributes> & Including<Include> = {},
    options?: SearchOptions,
  ): Promise<SearchResult<ContactWith<Include, Attributes>>> {
    const { sort, page, limit } = search;
    const call = {
      operation: operations.searchContacts,
      query: { ...selected(search), sort, page, limit },
      headers: { ...strictly, ...(options?.isFresh && { 'Cache-Control': 'no-cache' }) },
    };
    type Body = Omit<SearchResult<ContactWith<Include, Attributes>>, 'status'>;
    const { status, body } = await this.#transport.call<Body>(call, options);
    return { status, data: body.data, pagination: body.pagination };
  }

  /**
   * The contact with exactly this email, phone number, Messenger ID or WhatsApp ID; of several the newest. `data` is
   * undefined when there is none.
   */
  async find<Include extends ContactInclude = never>(
    key: ContactKey,
    options?: IncludingOptions<Include>,
  ): Promise<Result<ContactWith<Include, Attributes> | undefined>> {
    const { email, phone, mid, wid } = key as Partial<Record<'email' | 'phone' | 'mid' | 'wid', string>>;
    const filter = { email, phone, mid, wid };
    // Without a condition it would find any contact.
    if (Object.values(filter).every((value) => value === undefined)) {
      throw new UsageError(`find needs one of ${Object.keys(filter).join(', ')}`);
    }
    const { status, data } = await this.search({ filter, limit: 1, include: options?.include }, options);
    return { status, data: data[0] };
  }

  /** One page of the contacts that match, or of all, oldest first. `exportAll` yields all pages. */
  async export<Include extends ContactInclude = never>(
    page: ContactExport<Attributes> & Including<Include> = {},
    options?: RequestOptions,
  ): Promise<ExportResult<ContactWith<Include, Attributes>>> {
    const { after, limit } = page;
    const query = { ...selected(page), after, limit };
    const call = { operation: operations.exportContacts, query, headers: strictly };
    type Body = Omit<ExportResult<ContactWith<Include, Attributes>>, 'status'>;
    const { status, body } = await this.#transport.call<Body>(call, options);
    return { status, data: body.data, next: body.next };
  }

  /**
   * Every contact that matches, or every one of the bot, oldest first, by `export`. Prefer it to `iterate` for many: its
   * pages are larger, and cost the same at any depth.
   */
  exportAll<Include extends ContactInclude = never>(
    { query, filter, segment, include }: ContactSelection<Attributes> & Including<Include> = {},
    options?: RequestOptions,
  ): AsyncGenerator<ContactWith<Include, Attributes>, void> {
    return walkAll((page) => this.export({ ...page, query, filter, segment, include }, options));
  }

  /**
   * Every contact that matches. With a query newest first; without one, with or without a filter or a segment, oldest
   * first. Pages are fetched as they are needed. A contact that matches during the whole iteration is yielded exactly once, whatever
   * is written meanwhile.
   *
   * There is no `sort`, and that of a segment is not heeded: pages are numbered, and a write moves contacts to other pages. Only the time of creation never
   * changes, so only in its order can the iteration tell which contacts it has yielded.
   */
  iterate<Include extends ContactInclude = never>(
    { query = '', filter, segment, include }: ContactSelection<Attributes> & Including<Include> = {},
    options?: RequestOptions,
  ): AsyncGenerator<ContactWith<Include, Attributes>, void> {
    const selection = { filter, segment, include };
    return query.trim() === ''
      ? this.exportAll(selection, options)
      : walkMatches((page) => this.search({ ...selection, ...page, query, sort: '-createdAt' }, options));
  }

  /** Rejects with `NotFoundError` when there is no such contact. */
  async retrieve<Include extends ContactInclude = never>(
    id: string,
    options?: IncludingOptions<Include>,
  ): Promise<Result<ContactWith<Include, Attributes>>> {
    const call = {
      operation: operations.retrieveContact,
      path: { contactId: id },
      query: { include: includeParameter(options?.include) },
    };
    return this.#transport.resultOf(call, options);
  }

  /**
   * Changes the given fields, attributes and tags, and resolves with the contact as it is now. With `ifMatch` it is not retried
   * when the answer is lost: the retry would find the version that the first try made.
   */
  async update<Include extends ContactInclude = never>(
    id: string,
    changes: ContactUpdate<Attributes>,
    options?: IncludingOptions<Include> & IfMatch,
  ): Promise<Result<ContactWith<Include, Attributes>>> {
    const query = { include: includeParameter(options?.include) };
    const headers = ifMatchHeader(options);
    const effect: Effect = headers === undefined ? operations.updateContact.effect : 'once';
    const operation = { ...operations.updateContact, effect };
    const call = { operation, path: { contactId: id }, query, body: changes, ...(headers && { headers }) };
    return this.#transport.resultOf(call, options);
  }

  /**
   * Deletes a contact, and its tokens with it. Rejects with `NotFoundError` when there is no such contact; but when the
   * answer to a first try was lost, a second try that finds none is a success: 204.
   */
  async delete(id: string, options?: RequestOptions & IfMatch): Promise<Result<null>> {
    const headers = ifMatchHeader(options);
    const call = { operation: operations.deleteContact, path: { contactId: id }, ...(headers && { headers }) };
    return this.#transport.resultOf(call, options);
  }

  /**
   * Deletes up to 1000 contacts, and their tokens with them, in one transaction. An id that no contact has is no error:
   * its row says `isDeleted: false`. So do all rows whose contacts a first try deleted, when its answer was lost.
   */
  async deleteMany(ids: readonly string[], options?: RequestOptions): Promise<Result<DeletedRow[]>> {
    const call = { operation: operations.deleteContacts, body: { ids } };
    return this.#transport.resultOf(call, options);
  }
}

/** A condition that the server does not know is an error: ignored, it would find contacts that the caller did not mean. */
const strictly = { Prefer: 'handling=strict' };

function selected<Attributes>(selection: ContactSelection<Attributes> & Including<ContactInclude>) {
  const { query, filter, segment, include } = selection;
  return { query, ...filterParameters(filter), segment, include: includeParameter(include) };
}
