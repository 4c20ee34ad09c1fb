// Checked by the compiler, never run: the client's published types equal the contract's. The published package cannot
// import the contract, so it declares its own types, and this file does not compile when the two differ.
import type * as contract from '@roster/contract';
import type * as client from '../../src/index.ts';

/** True only for the same type, optional members included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Makes one object type of an interface and what it extends. */
type Flat<T> = { [Member in keyof T]: T[Member] };
type InputOf<Schema extends { _zod: { input: unknown } }> = Flat<Schema['_zod']['input']>;
type DataOf<Operation extends { answer: { schema: { _zod: { output: unknown } } } }> =
  Operation['answer']['schema']['_zod']['output'] extends { data: infer Data } ? Data : never;
type Operations = typeof contract.operations;

/** Errors of the account's operations, which the client never calls. */
type OfTheAccount =
  | 'limit_reached'
  | 'member_exists'
  | 'organization_required'
  | 'last_owner'
  | 'sign_in_failed'
  | 'password_required';

/** Does not compile unless it is given `true`. */
declare function same<_Answer extends true>(): void;

same<Same<client.Contact, contract.Contact>>();
same<Same<client.ContactOutcome, contract.ContactOutcome>>();
same<Same<client.Pagination, contract.Pagination>>();
same<Same<client.ErrorCode, Exclude<contract.ErrorCode, OfTheAccount>>>();
same<Same<client.FieldError, contract.FieldError>>();
same<Same<Flat<client.ContactCreate>, InputOf<typeof contract.contactCreateSchema>>>();
same<Same<Flat<client.ContactUpdate>, InputOf<typeof contract.contactUpdateSchema>>>();
same<Same<Flat<client.ContactUpsert>, InputOf<typeof contract.contactUpsertSchema>>>();

// The methods resolve with the data of the operations.
same<Same<DataOf<Operations['createContact']>, client.Contact>>();
same<Same<DataOf<Operations['upsertContacts']>, client.UpsertRow[]>>();
same<Same<DataOf<Operations['searchContacts']>, client.SearchResult['data']>>();
same<Same<DataOf<Operations['exportContacts']>, client.ExportResult['data']>>();
same<Same<DataOf<Operations['tokenizeContact']>, client.ContactToken>>();
same<Same<Operations['exportContacts']['answer']['schema']['_zod']['output']['next'], client.ExportResult['next']>>();

// Parameters have the names of the contract; over the wire they are text, and to callers numbers.
same<Same<keyof client.ContactSearch, keyof InputOf<Operations['searchContacts']['query']>>>();
same<Same<keyof client.ContactExport, keyof InputOf<Operations['exportContacts']['query']>>>();
type IdentityMember<Identity> = Identity extends unknown ? keyof Identity : never;
same<Same<IdentityMember<client.ContactIdentity>, keyof InputOf<typeof contract.contactIdentitySchema>>>();

// A newer server may send other codes and types, so the client's problem is wider in these two. It has no member that only
// errors of the account have, and is equal in the rest.
type Narrow<Problem> = Flat<Omit<Problem, 'code' | 'type' | 'organizations' | 'permission'>>;
same<Same<Narrow<client.Problem>, Narrow<contract.Problem>>>();
same<contract.Problem extends client.Problem ? true : false>();
