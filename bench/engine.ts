// The storage engine as the benchmark uses it: storage that is cached between runs, temporary copies of it, and bare
// baseline scripts that run the engine's statements without a service.
import type { ChildProcess } from 'node:child_process';
import type { ProgressBar } from '../packages/cli/src/terminal/progress-bar.ts';
import type { BotAccess } from './bot-access.ts';

export const engineKinds = ['sqlite', 'postgres'] as const;
export type EngineKind = (typeof engineKinds)[number];

/** The storage of one server. */
export interface Storage {
  /** The working folder of the server. */
  folder: string;
  /** Settings of the server. */
  env: Record<string, string>;
  bytes(): Promise<number>;
  /** Whether the engine has no background work of its own on it, such as vacuuming. */
  isQuiet(): Promise<boolean>;
}

export interface Engine {
  kind: EngineKind;
  /** With the engine's name: `SQLite 3.50.4`. */
  version: string;
  /** Empty storage that outlasts the run. Storage that had this name is deleted. */
  make(name: string): Promise<Storage>;
  /** Called once all contacts are written and the server has stopped. */
  finish(name: string): Promise<void>;
  /** A copy of cached storage, deleted at the end of the run. */
  copy(name: string): Promise<Storage>;
  /** Empty storage, deleted at the end of the run. */
  makeTemporary(name: string): Promise<Storage>;
  /** Makes and caches the data of the bare search script for a bot of this size, where it needs data of its own. */
  fillBareSearch(contacts: number, bar: ProgressBar): Promise<void>;
  /** A script that searches the same contacts; see bare/search-*.ts. */
  startBareSearch(searched: { contacts: number; storage: Storage; access: BotAccess }): Promise<ChildProcess>;
  /** A script that writes the same contacts into storage of its own; see bare/upserts-*.ts. */
  startBareUpserts(): Promise<ChildProcess>;
  /** Of the database's own processes. Left out: it has none. */
  cpuUs?(): Promise<number>;
  close(): Promise<void>;
}
