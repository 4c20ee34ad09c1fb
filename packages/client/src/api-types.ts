// The types of requests and responses, as plain interfaces: the published package has no dependencies, so it cannot
// import the contract's. test/types/contract-parity.ts does not compile when the two differ.

/** Every member is always present. An optional field without a value is `''`. */
export interface Contact {
  /** `con_…`, opaque. */
  id: string;
  name: string;
  /** Unique within the bot, whatever its case. */
  email: string;
  phone: string;
  /** Messenger ID. */
  mid: string;
  /** WhatsApp ID: the phone number in international format. */
  wid: string;
  /** ISO 8601 in UTC with milliseconds. */
  createdAt: string;
  /** Moves only when a field really changed. */
  updatedAt: string;
}

/** Fields that may be empty. `null` and `''` clear them. */
interface OptionalContactFields {
  /** In any format, at most 64 characters. */
  phone?: string | null | undefined;
  /** WhatsApp ID: `+` and 7 to 15 digits. */
  wid?: string | null | undefined;
  /** Messenger ID, at most 128 characters. */
  mid?: string | null | undefined;
}

export interface ContactCreate extends OptionalContactFields {
  name: string;
  email: string;
}

/** A field left out keeps its value. */
export interface ContactUpdate extends OptionalContactFields {
  name?: string | undefined;
  email?: string | undefined;
}

/** The contact with this email is updated. When there is none it is created, and needs a name. */
export interface ContactUpsert extends OptionalContactFields {
  email: string;
  name?: string | undefined;
}

export interface ContactSearch {
  /** Words that must all occur, each in any field but the timestamps. Left out or empty: all contacts. */
  query?: string | undefined;
  /** Counted from 1. */
  page?: number | undefined;
  /** Contacts per page: 1 to 100, and 10 when left out. */
  limit?: number | undefined;
}

export interface ContactExport {
  /** As in a search. Left out or empty: all contacts. */
  query?: string | undefined;
  /** The `next` of the page before. Left out: the first page. */
  after?: string | undefined;
  /** Contacts per page: 1 to 1000, and 1000 when left out. */
  limit?: number | undefined;
}

export interface Pagination {
  /** Contacts that match, exactly. */
  total: number;
  page: number;
  limit: number;
  totalPages: number;
  /** First page number of the window that a pager shows. */
  startPage: number;
  /** Last page number of that window. */
  endPage: number;
  /** Position of the first contact of the page, counted from 0. */
  startIndex: number;
  /** Position of the last contact of the page. */
  endIndex: number;
  /** The page numbers of the window. */
  pages: number[];
}

/** Which input became which contact. */
export interface UpsertRow {
  /** Position of the input, counted from 0. */
  index: number;
  id: string;
  /** Only with `include: ['outcome']`. Rows of one contact have the same. */
  outcome?: ContactOutcome | undefined;
}

/** What an upsert did to a contact. */
export type ContactOutcome = 'created' | 'updated' | 'unchanged';

/** Whether an id deleted a contact. */
export interface DeletedRow {
  /** Position of the id, counted from 0. */
  index: number;
  id: string;
  /** False when there is no such contact, or an earlier id of the list deleted it. */
  isDeleted: boolean;
}

/** By `id`, by `email`, or by both when they name the same contact. */
export type ContactIdentity = { id: string } | { email: string };

export interface ContactToken {
  /** `c:…`. Shown once: the service keeps only its hash. */
  token: string;
  createdAt: string;
  /** One year after `createdAt`. */
  expiresAt: string;
}

/** Codes of this version. A newer server may know more. */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_request'
  | 'email_taken'
  | 'too_many_contacts'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal'
  | 'unavailable';

export interface FieldError {
  /** Position of the item, counted from 0. Only where a request holds many. */
  index?: number | undefined;
  field: string;
  message: string;
}

/** The body of every error answer (RFC 9457). */
export interface Problem {
  type: string;
  /** The name of the status. */
  title: string;
  status: number;
  /** Stable: branch on this. `string & {}` keeps the known codes in an editor's suggestions. */
  code: ErrorCode | (string & {});
  /** An explanation for humans, which may be reworded. */
  detail: string;
  /** The same as in the server's log. */
  requestId: string;
  /** With `email_taken`: the contact that has the email. */
  contactId?: string | undefined;
  /** With `forbidden`: what the secret lacks. */
  permission?: string | undefined;
  /** With `invalid_request`: every invalid field. */
  errors?: FieldError[] | undefined;
}
