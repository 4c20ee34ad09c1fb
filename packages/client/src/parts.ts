// What the console uses with its session instead of a secret. Only for this workspace: the published package exports
// index.ts alone, whose `Roster` refuses to run in browsers.
export { ApiError } from './api-errors.ts';
export { Attributes } from './attributes.ts';
export { Contacts } from './contacts.ts';
export { AbortError, ConnectionError, RosterError } from './errors.ts';
export type { Effect, Operation } from './operations.ts';
export { Segments } from './segments.ts';
export { Tags } from './tags.ts';
export { type RequestOptions, Transport } from './transport.ts';
export { walkMatches } from './walk.ts';
export { Webhooks } from './webhooks.ts';
