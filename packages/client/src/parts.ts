// What the console uses with its session instead of a secret. Only for this workspace: the published package exports
// index.ts alone, whose `Roster` refuses to run in browsers.
export { ApiError } from './api-errors.ts';
export { Contacts } from './contacts.ts';
export { AbortError, ConnectionError, RosterError } from './errors.ts';
export type { Effect, Operation } from './operations.ts';
export { type RequestOptions, Transport } from './transport.ts';
