// Checked by the compiler, never run: the client's published types equal the contract's. The published package cannot
// import the contract, so it declares its own types, and this file does not compile when the two differ.
import type * as contract from '@roster/contract';
import type { FilterParameter } from '../../src/filter-parameters.ts';
import type * as client from '../../src/index.ts';

/** True only for the same type, optional members included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Makes one object type of an interface and what it extends. */
type Flat<T> = { [Member in keyof T]: T[Member] };
type InputOf<Schema extends { _zod: { input: unknown } }> = Flat<Schema['_zod']['input']>;
type AnswerOf<Operation extends { answer: { schema: { _zod: { output: unknown } } } }> =
  Operation['answer']['schema']['_zod']['output'];
type DataOf<Operation extends { answer: { schema: { _zod: { output: unknown } } } }> =
  AnswerOf<Operation> extends { data: infer Data } ? Data : never;
type Operations = typeof contract.operations;

/** Errors of operations that the client never calls. */
type OfOthers = 'member_exists' | 'organization_required' | 'last_owner' | 'sign_in_failed' | 'password_required';

/** Does not compile unless it is given `true`. */
declare function same<_Answer extends true>(): void;

same<Same<client.Contact, contract.Contact>>();
same<Same<client.ContactOutcome, contract.ContactOutcome>>();
same<Same<client.Pagination, contract.Pagination>>();
same<Same<client.ErrorCode, Exclude<contract.ErrorCode, OfOthers>>>();
same<Same<client.FieldError, contract.FieldError>>();
// Callers may also pass lists that they cannot change, and attributes that are undefined: JSON leaves those out.
type Lenient<Input> = { [Member in keyof Input]: LenientValue<Input[Member]> };
type LenientValue<Value> = Value extends (infer Item)[]
  ? readonly Item[]
  : Value extends Record<string, infer Each>
    ? { [key: string]: Each | undefined }
    : Value;
same<Same<Flat<client.ContactCreate>, Lenient<InputOf<typeof contract.contactCreateSchema>>>>();
same<Same<Flat<client.ContactUpdate>, Lenient<InputOf<typeof contract.contactUpdateSchema>>>>();
same<Same<Flat<client.ContactUpsert>, Lenient<InputOf<typeof contract.contactUpsertSchema>>>>();
same<Same<Flat<client.AttributeDefinition>, Lenient<InputOf<typeof contract.attributeDefinitionSchema>>>>();
same<Same<Parameters<client.Tags['rename']>[1], InputOf<typeof contract.tagRenameSchema>>>();
same<Same<keyof client.SegmentDefinition, keyof InputOf<typeof contract.segmentDefinitionSchema>>>();

// The methods resolve with the data of the operations, by themselves and with all that `include` names.
type Plain<Contact> = Flat<Omit<Contact, contract.ContactInclude>>;
type Whole<Contact> = {
  [Member in Exclude<keyof Contact, 'lastSeenAt'>]-?: Exclude<Contact[Member], undefined>;
};
type Included = client.ContactWith<client.ContactInclude>;
same<Same<Plain<DataOf<Operations['createContact']>>, client.Contact>>();
same<Same<Whole<DataOf<Operations['createContact']>>, Flat<Included>>>();
same<Same<DataOf<Operations['upsertContacts']>, client.UpsertRow[]>>();
same<Same<AnswerOf<Operations['upsertContacts']>['errors'], client.UpsertResult['errors']>>();
same<Same<Plain<DataOf<Operations['searchContacts']>[number]>, client.SearchResult['data'][number]>>();
same<Same<Whole<DataOf<Operations['searchContacts']>[number]>, Flat<client.SearchResult<Included>['data'][number]>>>();
same<Same<Plain<DataOf<Operations['exportContacts']>[number]>, client.ExportResult['data'][number]>>();
same<Same<DataOf<Operations['tokenizeContact']>, client.ContactToken>>();
same<Same<AnswerOf<Operations['exportContacts']>['next'], client.ExportResult['next']>>();
same<Same<DataOf<Operations['listAttributes']>, client.Attribute[]>>();
same<Same<DataOf<Operations['listTags']>, client.Tag[]>>();
same<Same<keyof DataOf<Operations['retrieveSegment']>, keyof SegmentWithTotal>>();
type SegmentWithTotal = Awaited<ReturnType<typeof retrieveWithTotal>>['data'];
declare const retrieveWithTotal: typeof client.Roster.prototype.segments.retrieve<'total'>;

// A segment has the filter that the client takes, and so have answers.
same<contract.ContactFilter extends client.ContactFilter ? true : false>();
same<Same<keyof client.ContactFilter, keyof contract.ContactFilter>>();
same<Same<keyof client.Range<unknown>, contract.RangeOperator>>();
same<Same<client.ContactSort, contract.SortField | `-${contract.SortField}`>>();

// Parameters have the names of the contract; over the wire they are text, and to callers numbers.
// A filter is an object to callers, and over the wire a parameter for each of its conditions.
type ParameterOf<Request> = Exclude<keyof (Request & client.Including<never>), 'filter'> | FilterParameter;
/** The declared names. Those operations keep other parameters too: conditions on attributes, and unknown ones to report. */
type Declared<Parameters> = keyof {
  [Name in keyof Parameters as string extends Name ? never : Name]: Parameters[Name];
};
type ParametersOf<Name extends keyof Operations> = Operations[Name] extends { query: infer Query }
  ? Declared<InputOf<Extract<Query, { _zod: { input: unknown } }>>>
  : never;
type OptionOf<Options> = Exclude<keyof Options, keyof client.RequestOptions>;
same<Same<ParameterOf<client.ContactSearch>, ParametersOf<'searchContacts'>>>();
same<Same<ParameterOf<client.ContactExport>, ParametersOf<'exportContacts'>>>();
same<Same<keyof client.Including<never>, ParametersOf<'createContact' | 'updateContact' | 'retrieveContact'>>>();
same<Same<OptionOf<client.UpsertOptions>, ParametersOf<'upsertContacts'>>>();
same<Same<OptionOf<client.SegmentOptions<never>>, ParametersOf<'retrieveSegment'>>>();
same<Same<keyof client.EventList, ParametersOf<'listEvents'>>>();
same<Same<client.EventType, contract.EventType>>();
same<Same<Flat<client.EventActor>, contract.EventActor>>();
same<Same<client.EventInclude, contract.EventInclude>>();
same<Same<keyof client.ContactEvent<'contact'>, keyof contract.FeedEvent>>();
same<Same<client.Webhook, contract.Webhook>>();
same<Same<Flat<client.NewWebhook>, DataOf<Operations['createWebhook']>>>();
same<Same<Flat<client.NewWebhook>, DataOf<Operations['rotateWebhookSecret']>>>();
same<Same<Flat<client.WebhookCreate>, Lenient<InputOf<typeof contract.webhookCreateSchema>>>>();
same<Same<Flat<client.WebhookChanges>, Lenient<InputOf<typeof contract.webhookChangesSchema>>>>();
same<Same<Parameters<client.Webhooks['replay']>[1], InputOf<typeof contract.replaySchema> | undefined>>();
same<Same<Flat<client.Delivery>, contract.Delivery>>();
same<Same<Flat<client.DeliveryDetail>, contract.DeliveryDetail>>();
same<Same<client.DeliveryStatus, contract.DeliveryStatus>>();
same<Same<keyof client.DeliveryList, ParametersOf<'listDeliveries'>>>();
same<Same<AnswerOf<Operations['listDeliveries']>['next'], client.DeliveriesResult['next']>>();
same<Same<Flat<client.WebhookTest>, DataOf<Operations['testWebhook']>>>();
same<Same<Flat<client.WebhookMessage['data']['event']>, contract.WebhookMessage['data']['event']>>();
same<Same<Omit<client.WebhookMessage, 'data'>, Omit<contract.WebhookMessage, 'data'>>>();
same<Same<Flat<WholeContact>, Whole<Exclude<contract.WebhookMessage['data']['contact'], null>>>>();
type WholeContact = Exclude<client.WebhookMessage['data']['contact'], null>;
type IdentityMember<Identity> = Identity extends unknown ? keyof Identity : never;
same<Same<IdentityMember<client.ContactIdentity>, keyof InputOf<typeof contract.contactIdentitySchema>>>();

// A newer server may send other codes and types, so the client's problem is wider in these two. It has no member that only
// errors of the account have, and is equal in the rest.
type Narrow<Problem> = Flat<Omit<Problem, 'code' | 'type' | 'organizations' | 'permission'>>;
same<Same<Narrow<client.Problem>, Narrow<contract.Problem>>>();
same<contract.Problem extends client.Problem ? true : false>();
