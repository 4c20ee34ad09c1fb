// The types of what selects contacts: filters, searches, exports and segments. As those of api-types.ts, they equal the
// contract's.
import type { AttributeValue, AttributeValues } from './attribute-types.ts';

/** Conditions on contacts. All that are given must hold, together with the query. */
export interface ContactFilter<Attributes = AttributeValues> {
  /** The contact with exactly this email, whatever its case. */
  email?: string | undefined;
  /** Contacts whose phone has exactly these digits, whatever stands between them. */
  phone?: string | undefined;
  /** Contacts with exactly this Messenger ID. */
  mid?: string | undefined;
  /** Contacts whose WhatsApp ID has exactly these digits. */
  wid?: string | undefined;
  /** When they were created. */
  createdAt?: TimeRange | undefined;
  /** When a field, an attribute or a tag last changed. */
  updatedAt?: TimeRange | undefined;
  /** Contacts that have all of these tags, ignoring case and accents. */
  tag?: readonly string[] | undefined;
  /** Conditions on attributes, by key. */
  attributes?: { [Key in keyof Attributes]?: AttributeCondition<NonNullable<Attributes[Key]>> | undefined } | undefined;
}

/** One of these values; within a range, for numbers and dates; or whether there is a value at all. */
export type AttributeCondition<Value = AttributeValue> =
  | readonly (Value | DateOf<Value>)[]
  | RangeOf<BoundOf<Value>>
  | { exists: boolean };

/** Dates are strings to the service, and so may be written as `Date` wherever any string may be. */
type DateOf<Value> = string extends Value ? Date : never;
type BoundOf<Value> =
  | ([Extract<Value, number>] extends [never] ? never : number)
  | (string extends Value ? string | Date : never);
type RangeOf<Bound> = [Bound] extends [never] ? never : Range<Bound>;

/**
 * Each bound is a `Date`, an ISO 8601 date (its midnight UTC) or date-time with `Z` or an offset, or a time before now, as
 * the server's clock has it: `-30d`, `-12h`.
 */
export type TimeRange = Range<string | Date>;

export interface Range<Bound> {
  /** This or later, or more. */
  gte?: Bound | undefined;
  /** Later, or more, than this. */
  gt?: Bound | undefined;
  /** This or earlier, or less. */
  lte?: Bound | undefined;
  /** Earlier, or less, than this. */
  lt?: Bound | undefined;
}

/** What names one contact, or few. Phone numbers, Messenger and WhatsApp IDs are not unique. */
export type ContactKey = { email: string } | { phone: string } | { mid: string } | { wid: string };

type SortField = 'createdAt' | 'updatedAt' | 'name' | 'email';

/** Descending with a leading `-`. Contacts that are equal in it are ordered by id. */
export type ContactSort = SortField | `-${SortField}`;

/** Which contacts: those that match all of these. Without any, all of the bot. */
export interface ContactSelection<Attributes = AttributeValues> {
  /** Words that must all occur, each in any field but the timestamps, or in a text attribute. Left out or empty: all contacts. */
  query?: string | undefined;
  filter?: ContactFilter<Attributes> | undefined;
  /** The key of a segment. Query and filter narrow it. */
  segment?: string | undefined;
}

export interface ContactSearch<Attributes = AttributeValues> extends ContactSelection<Attributes> {
  /** When left out: that of the segment, or `-createdAt`, newest first. */
  sort?: ContactSort | undefined;
  /** Counted from 1. */
  page?: number | undefined;
  /** Contacts per page: 1 to 100, and 10 when left out. */
  limit?: number | undefined;
}

export interface ContactExport<Attributes = AttributeValues> extends ContactSelection<Attributes> {
  /** The `next` of the page before. Left out: the first page. */
  after?: string | undefined;
  /** Contacts per page: 1 to 1000, and 1000 when left out. */
  limit?: number | undefined;
}

/** A filter under a name. */
export interface Segment<Attributes = AttributeValues> {
  key: string;
  label: string;
  query: string;
  /** As it was given; times are strings. */
  filter: ContactFilter<Attributes>;
  sort: ContactSort;
}

export interface SegmentDefinition<Attributes = AttributeValues> {
  /** Its name for people, at most 128 characters. */
  label: string;
  /** Words, as in a search. */
  query?: string | undefined;
  filter: ContactFilter<Attributes>;
  /** `-createdAt`, newest first, when left out. */
  sort?: ContactSort | undefined;
}
