// What an operator can do, whoever does the work: the running server, reached by its socket, or this process with the
// store that it opened. Both offer `Perform`; this file makes the operator's methods of it.
import { resolve } from 'node:path';
import type { Role } from '@roster/contract';
import type { Invitation, Member } from '../store/account-store.ts';
import type { Bot, BotChanges, ListedBot, Organization, SecretState } from '../store/store.ts';

export interface Operator {
  /** Whether a running server does the work, or this process opened the store itself. */
  readonly via: 'server' | 'store';
  listOrganizations(): Promise<Organization[]>;
  createOrganization(name: string): Promise<Organization>;
  /** False when there is no such organization. */
  renameOrganization(organizationId: string, name: string): Promise<boolean>;
  /** Of one organization, or of all; deleted ones are not among them. */
  listBots(organizationId?: string): Promise<ListedBot[]>;
  /** Settings left out have the defaults of the first run. */
  createBot(organizationId: string, settings: BotChanges & { name: string }): Promise<Bot>;
  /** Settings left out keep their value. Undefined when there is no such bot. */
  updateBot(botId: string, changes: BotChanges): Promise<Bot | undefined>;
  /** Its contacts are out of reach at once. False when there is no such bot. */
  deleteBot(botId: string): Promise<boolean>;
  /** Of one organization, or of all; revoked and expired ones too. */
  listSecrets(organizationId?: string): Promise<SecretState[]>;
  /** The one time that the secret itself is told. */
  createSecret(
    organizationId: string,
    options: { name: string; expiresAtMs?: number | undefined },
  ): Promise<{ secret: string; state: SecretState }>;
  /** False when there is no such secret. */
  renameSecret(secretId: string, name: string): Promise<boolean>;
  /** False when there is no such secret, or it is revoked already. */
  revokeSecret(secretId: string): Promise<boolean>;
  /** Of one organization, or of all. */
  listMembers(organizationId?: string): Promise<Member[]>;
  /** The one time that the link is told. */
  inviteMember(
    organizationId: string,
    invited: { email: string; role: Role },
  ): Promise<{ invitation: OpenInvitation; link: string }>;
  /** A link to set a new password by, told this once. Undefined when there is no such member. */
  resetPassword(memberId: string): Promise<{ link: string; expiresAtMs: number } | undefined>;
  /** Their sessions end at once. False when there is no such member; refuses the last owner of an organization. */
  removeMember(memberId: string): Promise<boolean>;
  /**
   * A consistent copy of the SQLite database while it is being written; refuses an existing file. Not for PostgreSQL.
   * `done` and `total` count pages of the database. Broken off by the signal, it leaves nothing behind; a running server
   * cleans up by itself, after this has rejected.
   */
  backup(file: string, watch?: Watch): Promise<{ bytes: number }>;
  close(): Promise<void>;
}

export type OpenInvitation = Pick<
  Invitation,
  'id' | 'organizationId' | 'email' | 'role' | 'createdAtMs' | 'expiresAtMs'
>;

export type OnProgress = (done: number, total: number) => void;

/** The operations by name: what each takes, as it travels, and what it answers. */
export interface Operations {
  listOrganizations: { input: object; answer: Organization[] };
  createOrganization: { input: { name: string }; answer: Organization };
  renameOrganization: { input: { organizationId: string; name: string }; answer: boolean };
  listBots: { input: { organizationId?: string | undefined }; answer: ListedBot[] };
  createBot: { input: { organizationId: string; settings: BotChanges & { name: string } }; answer: Bot };
  updateBot: { input: { botId: string; changes: BotChanges }; answer: Bot | undefined };
  deleteBot: { input: { botId: string }; answer: boolean };
  listSecrets: { input: { organizationId?: string | undefined }; answer: SecretState[] };
  createSecret: {
    input: { organizationId: string; name: string; expiresAtMs?: number | undefined };
    answer: { secret: string; state: SecretState };
  };
  renameSecret: { input: { secretId: string; name: string }; answer: boolean };
  revokeSecret: { input: { secretId: string }; answer: boolean };
  listMembers: { input: { organizationId?: string | undefined }; answer: Member[] };
  inviteMember: {
    input: { organizationId: string; email: string; role: Role };
    answer: { invitation: OpenInvitation; link: string };
  };
  resetPassword: { input: { memberId: string }; answer: { link: string; expiresAtMs: number } | undefined };
  removeMember: { input: { memberId: string }; answer: boolean };
  backup: { input: { file: string }; answer: { bytes: number } };
}

export type OperationName = keyof Operations;

export interface Watch {
  onProgress?: OnProgress | undefined;
  /** Whoever asked does not want it any more. */
  signal?: AbortSignal | undefined;
}

export type Perform = <Name extends OperationName>(
  name: Name,
  input: Operations[Name]['input'],
  watch?: Watch,
) => Promise<Operations[Name]['answer']>;

export type OperatorErrorCode =
  /** What was given is not allowed. */
  | 'invalid'
  /** What was named does not exist. */
  | 'missing'
  /** It is not possible here: the message says what to do instead. */
  | 'refused';

/** What an operator asked for cannot be done. The message says why, for a person, in one line. */
export class OperatorError extends Error {
  override name = 'OperatorError';
  readonly code: OperatorErrorCode;

  constructor(code: OperatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function makeOperator(via: Operator['via'], perform: Perform, close: () => Promise<void>): Operator {
  return {
    via,
    listOrganizations: () => perform('listOrganizations', {}),
    createOrganization: (name) => perform('createOrganization', { name }),
    renameOrganization: (organizationId, name) => perform('renameOrganization', { organizationId, name }),
    listBots: (organizationId) => perform('listBots', { organizationId }),
    createBot: (organizationId, settings) => perform('createBot', { organizationId, settings }),
    updateBot: (botId, changes) => perform('updateBot', { botId, changes }),
    deleteBot: (botId) => perform('deleteBot', { botId }),
    listSecrets: (organizationId) => perform('listSecrets', { organizationId }),
    createSecret: (organizationId, { name, expiresAtMs }) =>
      perform('createSecret', { organizationId, name, expiresAtMs }),
    renameSecret: (secretId, name) => perform('renameSecret', { secretId, name }),
    revokeSecret: (secretId) => perform('revokeSecret', { secretId }),
    listMembers: (organizationId) => perform('listMembers', { organizationId }),
    inviteMember: (organizationId, { email, role }) => perform('inviteMember', { organizationId, email, role }),
    resetPassword: (memberId) => perform('resetPassword', { memberId }),
    removeMember: (memberId) => perform('removeMember', { memberId }),
    // The server's working folder is another one.
    backup: (file, watch) => perform('backup', { file: resolve(file) }, watch),
    close,
  };
}
