// What the use cases of the account are given.
import type { Logger } from 'pino';
import type { makeIdSource } from '../contacts/ids.ts';
import type { Store } from '../store/store.ts';
import type { Passwords } from './passwords.ts';
import type { TenantCache } from './tenant-cache.ts';

export interface AccountDeps {
  store: Store;
  /** Changes go through it, so that they are in force at once in this process. */
  tenantCache: TenantCache;
  /** Milliseconds since 1970. */
  clock: () => number;
  passwords: Passwords;
  nextId: ReturnType<typeof makeIdSource>;
  logger: Logger;
  /** Where the console is, for links. */
  publicUrl: string;
}
