// The types of requests and responses, as plain interfaces: the published package has no dependencies, so it cannot
// import the contract's. test/types/contract-parity.ts does not compile when the two differ.
import type { AttributeValues } from './attribute-types.ts';

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

/** What `include` may name. */
export type ContactInclude = keyof IncludedMembers;

interface IncludedMembers<Attributes = AttributeValues> {
  /** By key, those that have a value. A date is ISO 8601 in UTC with milliseconds. */
  attributes: string extends keyof Attributes ? Attributes : Partial<Attributes>;
  /** In alphabetical order, ignoring case and accents. */
  tags: string[];
}

/** A contact with the members that `include` names: `ContactWith<'attributes' | 'tags'>`. */
export type ContactWith<Include extends ContactInclude, Attributes = AttributeValues> = [Include] extends [never]
  ? Contact
  : Contact & Pick<IncludedMembers<Attributes>, Include>;

/** Methods that resolve with contacts take it. */
export interface Including<Include extends ContactInclude> {
  /** What each contact has in addition: `attributes`, `tags`. */
  include?: readonly Include[] | undefined;
}

/** What a contact has beside name and email. `null` and `''` clear phone, wid and mid. */
interface OptionalContactFields<Attributes> {
  /** In any format, at most 64 characters. */
  phone?: string | null | undefined;
  /** WhatsApp ID: `+` and 7 to 15 digits. */
  wid?: string | null | undefined;
  /** Messenger ID, at most 128 characters. */
  mid?: string | null | undefined;
  /** By the keys that the bot defines. One left out keeps its value; `null` and `''` remove it. A date is ISO 8601. */
  attributes?: { [Key in keyof Attributes]?: Attributes[Key] | null | undefined } | undefined;
  /** All tags; `[]` and `null` remove all. Not together with the other two. */
  tags?: readonly string[] | null | undefined;
  addTags?: readonly string[] | undefined;
  removeTags?: readonly string[] | undefined;
}

export interface ContactCreate<Attributes = AttributeValues> extends OptionalContactFields<Attributes> {
  name: string;
  email: string;
}

/** A field left out keeps its value. */
export interface ContactUpdate<Attributes = AttributeValues> extends OptionalContactFields<Attributes> {
  name?: string | undefined;
  email?: string | undefined;
}

/** The contact with this email is updated. When there is none it is created, and needs a name. */
export interface ContactUpsert<Attributes = AttributeValues> extends OptionalContactFields<Attributes> {
  email: string;
  name?: string | undefined;
}

export interface Pagination {
  /** Contacts that match. Of more than 10,000 it may be some seconds old: see `isFresh` of `search`. */
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
export type ContactIdentity = ({ id: string } | { email: string }) & {
  /** Seconds until the token expires, from 60 to a year, the default. The bot's settings may shorten it. */
  expiresIn?: number | undefined;
};

export interface ContactToken {
  /** `c:…`. Shown once: the service keeps only its hash. */
  token: string;
  createdAt: string;
  /** The token is valid until then. */
  expiresAt: string;
}

/** Codes of this version. A newer server may know more. */
export type ErrorCode =
  | 'invalid_json'
  | 'invalid_request'
  | 'email_taken'
  | 'too_many_contacts'
  | 'attribute_type_fixed'
  | 'tag_taken'
  | 'limit_reached'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'events_expired'
  | 'precondition_failed'
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
  /** With `events_expired`: the end of the feed. */
  next?: string | undefined;
  /** With `invalid_request`: every invalid field. With `limit_reached`: the fields that would be too many. */
  errors?: FieldError[] | undefined;
  /** Only if there are more errors than these. */
  errorsTruncated?: true | undefined;
}
