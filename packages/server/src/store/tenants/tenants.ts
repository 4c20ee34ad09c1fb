// Bots and secrets, as the storage port has them.
import type { Permission, WidgetSettings } from '@roster/contract';

export interface BotSettings extends Omit<WidgetSettings, 'widgetUrl'> {
  /** Origins whose pages may call the widget's operations. Empty: any. */
  allowedOrigins: readonly string[];
  /** How long new contact tokens are valid at most. */
  tokenMaxSeconds: number;
}

/** Settings left out keep their value. */
export type BotChanges = { [Name in keyof BotSettings]?: BotSettings[Name] | undefined };

export interface Bot extends BotSettings {
  id: string;
  organizationId: string;
  createdAtMs: number;
}

export interface ListedBot extends Bot {
  /** Exact. Null when the part of the database that holds the bot does not answer, which the list does not wait for. */
  contactCount: number | null;
}

/** A secret as answers may show it. */
export interface SecretState {
  id: string;
  organizationId: string;
  name: string;
  /** How the secret begins; empty when it was made before this was kept. */
  prefix: string;
  /** Fixed when it is created, as the bots are. */
  permissions: readonly Permission[];
  /** Ids, also of bots that were deleted since. Undefined: all. */
  bots: readonly string[] | undefined;
  /** Name of the member or secret that created it. Undefined: the operator. */
  createdBy: string | undefined;
  /** Undefined: it was no member, or nobody knows any more. */
  creatorId: string | undefined;
  /** The secret that it was created with, whose revocation is its own. Undefined: none. */
  parentId: string | undefined;
  createdAtMs: number;
  expiresAtMs: number | undefined;
  revokedAtMs: number | undefined;
  /** Undefined: never. */
  lastUsedAtMs: number | undefined;
}

export interface Secret extends SecretState {
  /** SHA-256 of the whole secret. The secret itself is never stored. */
  hash: Uint8Array;
}
