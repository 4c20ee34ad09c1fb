// Where contacts are stored, as the benchmark sees it: storage that is kept, copies of it to be used up, and bare
// scripts that do the engine's work alone.
import type { ChildProcess } from 'node:child_process';
import type { ProgressBar } from '@roster/server/progress-bar';
import type { Access } from './access.ts';

export const engineKinds = ['sqlite', 'postgres'] as const;
export type EngineKind = (typeof engineKinds)[number];

/** What one server stores in. */
export interface Storage {
  /** The working folder of the server. */
  folder: string;
  /** Settings of the server. */
  env: Record<string, string>;
  bytes(): Promise<number>;
  /** Whether nothing works on it, besides the server itself. */
  isQuiet(): Promise<boolean>;
}

export interface Engine {
  kind: EngineKind;
  /** With its name: SQLite 3.50.4. */
  version: string;
  /** Empty storage that outlasts the run. What had this name is gone. */
  make(name: string): Promise<Storage>;
  /** After everything was written, and the server was stopped. */
  finish(name: string): Promise<void>;
  /** A copy of what is kept, which goes with the run. */
  copy(name: string): Promise<Storage>;
  /** Empty storage that goes with the run. */
  makeTemporary(name: string): Promise<Storage>;
  /** Makes what the bare search of a bot of this size needs besides, and keeps it. */
  fillBareSearch(contacts: number, bar: ProgressBar): Promise<void>;
  /** A script that searches the same contacts; see bare/search-*.ts. */
  startBareSearch(searched: { contacts: number; storage: Storage; access: Access }): Promise<ChildProcess>;
  /** A script that writes the same contacts into storage of its own; see bare/upserts-*.ts. */
  startBareUpserts(): Promise<ChildProcess>;
  close(): Promise<void>;
}
