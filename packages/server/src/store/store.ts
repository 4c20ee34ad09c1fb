// The storage port: what the service asks of an engine, with the promises that every engine keeps.
// One conformance suite (test/store-conformance.ts) checks them all. No SQL above this line, no HTTP below it.
import type { Contact, OrganizationSettings } from '@roster/contract';
import type { Sort, Wanted } from '../contacts/filters.ts';
import type { AccountStore, LimitReached, NotAllowed, Organization } from './account/account-store.ts';
import type { ActivityStore } from './activity/activity-store.ts';
import type { Caller } from './caller.ts';
import type {
  ContactChanges,
  ContactFields,
  ContactRef,
  ContactWithValues,
  CreateOutcome,
  DeleteOutcome,
  ItemFault,
  UpdateOutcome,
  UpsertItem,
  UpsertOutcome,
} from './contacts/changes.ts';
import type { EventStore } from './events/event-store.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { Provisioning, ProvisioningOutcome } from './tenants/provisioning.ts';
import type { Bot, BotChanges, ListedBot, Secret, SecretState } from './tenants/tenants.ts';
import type { TokenStore } from './tokens/token-store.ts';
import type { AttributeStore, ContactValues } from './values/attribute-store.ts';
import type { WebhookStore } from './webhooks/webhook-store.ts';
import type { EventContext, WriteContext } from './write-context.ts';

export type { Wanted } from '../contacts/filters.ts';
export type { Organization } from './account/account-store.ts';
export type { Caller } from './caller.ts';
export type * from './contacts/changes.ts';
export type * from './tenants/tenants.ts';
export type * from './tokens/token-store.ts';
export type { EventContext, WriteContext } from './write-context.ts';

/*
 * Promises of every method:
 * - A write is durable when its promise resolves, and every later read sees it.
 * - A write is atomic: it happens whole or not at all, whatever else runs beside it.
 * - A deleted bot does not exist for any method, from the moment `deleteBot` resolves.
 * - A write takes its context last, except for the leases of webhooks. The audit entry in it is written in the transaction of
 *   the write, if that happens: neither is there without the other, and a retry after a lost connection writes it no second
 *   time. What event-store.ts promises of events is by whom the context says.
 * - Times come in as milliseconds, from the caller's clock. The store reads no clock, except for the leases of webhooks.
 * - When the store cannot answer now but may later, it rejects with StoreUnavailableError and has changed nothing;
 *   with OutcomeUnknownError it lost the database while it wrote, and could not find out whether the write happened.
 */
export interface Store extends AccountStore, AttributeStore, ActivityStore, EventStore, TokenStore, WebhookStore {
  /** Resolves when reading and writing both work. Rejects with DiskFullError as long as larger writes find no room. */
  ping(): Promise<void>;
  close(): Promise<void>;
  /** Metrics of the store, by name. Those that only ever grow end in `_total`. Those that must be counted are counted off the main thread. */
  gauges(): Readonly<Record<string, () => MaybePromise<number>>>;

  // Organizations, bots and secrets.

  /** Creates all three if there has never been an organization. True when it did: at most one caller wins. */
  createFirstOrganization(
    first: { organization: Organization; bot: Bot; secret: Secret },
    context: WriteContext,
  ): Promise<boolean>;
  /**
   * Finds the organization and the bot by name, the secret by its hash and the owner by email, and creates what is missing,
   * with its audit entries. Of callers that want the same at once one creates it, and the others find it.
   */
  provision(wanted: Provisioning, context: WriteContext): Promise<ProvisioningOutcome>;
  createOrganization(organization: Organization, context: WriteContext): Promise<void>;
  /** False when there is no such organization. */
  renameOrganization(organizationId: string, name: string, context: WriteContext): Promise<boolean>;
  /** The defaults when there is no such organization. */
  findOrganizationSettings(organizationId: string): Promise<OrganizationSettings>;
  /** False when there is no such organization. */
  updateOrganizationSettings(
    organizationId: string,
    settings: OrganizationSettings,
    context: WriteContext,
  ): Promise<boolean>;
  /** Ascending by id, which is the order of creation. */
  listOrganizations(): Promise<Organization[]>;
  findOrganization(organizationId: string): Promise<Organization | undefined>;
  /** False when the organization has `max` already. Undefined: however many it has. */
  createBot(bot: Bot, max: number | undefined, context: WriteContext): Promise<boolean>;
  /** Settings left out keep their value. False when there is no such bot. */
  updateBot(botId: string, changes: BotChanges, context: WriteContext): Promise<boolean>;
  /** Answers at once; the contacts are removed later, by `purge`. False when there is no such bot. */
  deleteBot(botId: string, context: WriteContext): Promise<boolean>;
  findBot(botId: string): Promise<Bot | undefined>;
  /** Of one organization, or of all. Ascending by id. */
  listBots(organizationId?: string): Promise<ListedBot[]>;
  /** Exact. Zero when there is no such bot. */
  countContacts(botId: string): Promise<number>;
  /** By the authority of its parent or creator. `max` counts active ones; of those that ended, the last `max` are kept. */
  createSecret(
    secret: Secret,
    max: number | undefined,
    context: WriteContext,
  ): Promise<true | LimitReached | NotAllowed>;
  /** Revoked ones too. False when there is no such secret. */
  renameSecret(secretId: string, name: string, context: WriteContext): Promise<boolean>;
  /**
   * With all secrets that were created with it, and the open invitations of each. False when there is no such secret, or
   * it is revoked already.
   */
  revokeSecret(secretId: string, context: WriteContext): Promise<boolean>;
  /** Also finds revoked and expired secrets: judging them is the caller's task. */
  findSecret(hash: Uint8Array): Promise<Secret | undefined>;
  /** Of one organization, or of all; revoked and expired ones too. Ascending by id. */
  listSecrets(organizationId?: string): Promise<SecretState[]>;
  /** Moves the last-used times forward, never back. Secrets that do not exist are passed over. */
  noteSecretsUsed(used: readonly { secretId: string; usedAtMs: number }[], context: WriteContext): Promise<void>;

  // Contacts. Ids and creation times ascend in the order of commits, and in input order within an upsert.

  createContact(botId: string, fields: ContactFields, context: EventContext): Promise<CreateOutcome>;
  /** `updatedAt` moves only when a field really changed, to the later of now and its old value plus 1 ms. */
  updateContact(
    botId: string,
    contact: ContactRef,
    changes: ContactChanges,
    context: EventContext,
  ): Promise<UpdateOutcome>;
  /** Items apply in order; those with the same key are one contact. */
  upsertContacts(botId: string, items: readonly UpsertItem[], context: EventContext): Promise<UpsertOutcome>;
  /** What an upsert of these items would be refused for. Reads only. */
  findFaults(botId: string, items: readonly UpsertItem[]): Promise<ItemFault[]>;
  /** Its tokens go with it. */
  deleteContact(botId: string, contact: ContactRef, context: EventContext): Promise<DeleteOutcome>;
  /** Says of each id whether it deleted a contact: of equal ones the first does. The audit entry counts those that did. */
  deleteContacts(botId: string, contactIds: readonly string[], context: EventContext): Promise<boolean[]>;
  /** Mostly there at once. An engine may then throw instead of rejecting. */
  findContact(botId: string, contactId: string): MaybePromise<Contact | undefined>;
  findContactByEmail(botId: string, emailKey: string): Promise<Contact | undefined>;
  findContactWithValues(botId: string, contactId: string): Promise<ContactWithValues | undefined>;
  /** Those that there are, in any order. */
  findContactsWithValues(botId: string, contactIds: readonly string[], caller: Caller): Promise<ContactWithValues[]>;

  // These two may take long. Pending ones are queued fairly by organization, and refused past a limit.

  /** Page and total come from one snapshot, but for a total that is not counted again: see `isFresh`. */
  searchContacts(botId: string, search: Search, caller: Caller): Promise<ContactsPage & { total: number }>;
  /**
   * Oldest first, those after the id `after`, which need not exist any more. Pages are full but the last, on which `next`
   * is undefined.
   */
  exportContacts(botId: string, page: ExportPage, caller: Caller): Promise<ContactsPage & { next: string | undefined }>;

  /**
   * Removes up to `rows` rows of deleted bots, so many expired tokens, sessions and links, and deleted attributes and tags from
   * so many contacts; also so many deliveries of deleted webhooks, and of those that are older than `limits.deliveryDays` and
   * not pending, and so many rows of events from before `eventsBeforeMs`, the oldest of each bot first. False when nothing is
   * left to remove.
   */
  purge(rows: number, eventsBeforeMs: number, context: WriteContext): Promise<boolean>;
  findPurging(): Promise<PurgingState>;
  savePurging(state: Pick<PurgingState, 'purgedAtMs' | 'pausedUntilMs'>, context: WriteContext): Promise<void>;

  /**
   * Copies all data, as it is at one moment after the call, into a new file that only this user may read. Reads and
   * writes go on meanwhile. The file is there whole and checked, or not at all. Left out: the engine has tools of its
   * own for it.
   */
  backup?(file: string, options?: BackupOptions): Promise<{ bytes: number }>;
}

/** What the purge knows of the clock. The store keeps it, and decides nothing by it. */
export interface PurgingState {
  /** As of when rows were removed last. Undefined: never. */
  purgedAtMs?: number | undefined;
  /** Undefined: it is not paused. */
  pausedUntilMs?: number | undefined;
  /** What the clock of the database says, where that may be another machine. */
  databaseMs?: number | undefined;
}

export interface BackupOptions {
  /** Pages, of which there are `total`. */
  onProgress?: ((done: number, total: number) => void) | undefined;
  /** All is copied. Now the copy is checked, which takes several times as long. */
  onChecking?: (() => void) | undefined;
  /** Ends it, and leaves nothing behind. */
  signal?: AbortSignal | undefined;
}

export interface Search extends Wanted {
  /** Left out: newest first. */
  sort?: Sort | undefined;
  offset: number;
  limit: number;
  withValues?: boolean | undefined;
  /** Whether the total must be counted now: of many contacts it may else be some seconds old, by search-totals.ts. */
  isFresh?: boolean;
}

export interface ContactsPage {
  contacts: Contact[];
  /** Of each contact, from the same snapshot. Only `withValues`. */
  values?: ContactValues[];
}

export interface ExportPage extends Partial<Wanted> {
  after: string | undefined;
  limit: number;
  withValues?: boolean | undefined;
}

/** Not now, but perhaps later: overload, a full disk, a storage that is out of reach. Nothing was changed. */
export class StoreUnavailableError extends Error {
  override name = 'StoreUnavailableError';
}

/** A write did not fit on the disk. Reads go on, and so do writes once somebody has freed space. */
export class DiskFullError extends StoreUnavailableError {
  override name = 'DiskFullError';
}

/** From the first sign of damage until the process ends: every write, and each read that meets what is damaged. */
export class DatabaseDamagedError extends StoreUnavailableError {
  override name = 'DatabaseDamagedError';
}

/** The write may have happened, or not. */
export class OutcomeUnknownError extends StoreUnavailableError {
  override name = 'OutcomeUnknownError';
}

/** A backup cannot be made, or not be restored. The message says why and what to do, in one line; nothing was changed. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** The store cannot be opened. The message says why and what to do, in one line. */
export class StoreOpenError extends Error {
  override name = 'StoreOpenError';
}

/** Another process has the data: it may be reached, or be gone in a moment. */
export class StoreInUseError extends StoreOpenError {
  override name = 'StoreInUseError';
}
