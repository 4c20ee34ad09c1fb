// The parts that the console puts over a session of its own, where no secret is. For the workspace: what is published is
// index.ts alone, whose `Roster` refuses browsers.
export { ApiError } from './api-errors.ts';
export { Contacts } from './contacts.ts';
export { AbortError, ConnectionError, RosterError } from './errors.ts';
export type { Effect, Operation } from './operations.ts';
export { type RequestOptions, Transport } from './transport.ts';
