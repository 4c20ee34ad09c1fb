// The types of what selects contacts: filters, searches, exports and segments. As those of api-types.ts, they equal the
// contract's.
import type { AttributeValue, AttributeValues } from './attribute-types.ts';

/** Conditions on contacts. All that are given must hold, together with the query. */
export interface ContactFilter<Attributes = AttributeValues> {
  name?: FieldCondition | undefined;
  /** The contact with exactly this email, whatever its case; or a condition. */
  email?: string | FieldCondition | undefined;
  /** Contacts whose phone has exactly these digits, whatever stands between them; or a condition. */
  phone?: string | FieldCondition | undefined;
  /** Contacts with exactly this Messenger ID; or a condition. */
  mid?: string | FieldCondition | undefined;
  /** Contacts whose WhatsApp ID has exactly these digits; or a condition. */
  wid?: string | FieldCondition | undefined;
  /** When they were created. */
  createdAt?: TimeRange | undefined;
  /** When a field, an attribute or a tag last changed. */
  updatedAt?: TimeRange | undefined;
  /** When the widget last recognized them; and whether it ever did. */
  lastSeenAt?: (TimeRange & { exists?: boolean | undefined }) | undefined;
  /** Contacts that have all of these tags, ignoring case and accents; or conditions. */
  tag?: readonly string[] | TagCondition | undefined;
  /** Conditions on attributes, by key. */
  attributes?: { [Key in keyof Attributes]?: AttributeCondition<NonNullable<Attributes[Key]>> | undefined } | undefined;
}

/** What a field contains, ignoring case and accents; and whether it has a value. All that is given must hold. */
export interface FieldCondition {
  contains?: string | undefined;
  exists?: boolean | undefined;
}

/** All of these tags, at least one of them, none of them; and whether there is any tag. All that is given must hold. */
export interface TagCondition {
  all?: readonly string[] | undefined;
  any?: readonly string[] | undefined;
  not?: readonly string[] | undefined;
  exists?: boolean | undefined;
}

/** One of these values; or conditions, all of which must hold: a range is for numbers and dates, `contains` for text. */
export type AttributeCondition<Value = AttributeValue> =
  | readonly (Value | DateOf<Value>)[]
  | (RangeOf<BoundOf<Value>> & ValueCondition<Value>);

interface ValueCondition<Value> {
  /** None of these. A contact without a value is found. */
  not?: readonly (Value | DateOf<Value>)[] | undefined;
  contains?: (string extends Value ? string : never) | undefined;
  exists?: boolean | undefined;
}

/** Dates are strings to the service, and so may be written as `Date` wherever any string may be. */
type DateOf<Value> = string extends Value ? Date : never;
type BoundOf<Value> =
  | ([Extract<Value, number>] extends [never] ? never : number)
  | (string extends Value ? string | Date : never);
type RangeOf<Bound> = [Bound] extends [never] ? unknown : Range<Bound>;

/**
 * Each bound is a `Date`, an ISO 8601 date (its midnight UTC) or date-time with `Z` or an offset, or a time from now, as
 * the server's clock has it: `-30d`, `-12h`, `+7d`.
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
