// The operator's listener: the application with the operator's operations, on a Unix socket in the data folder. The
// permissions of the socket are the credential, so it must never serve another operation.
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { operatorCredentials } from '@roster/contract';
import { type App, buildApp } from '../app.ts';
import type { Deps } from '../deps.ts';
import { socketAddress, socketFile } from './socket-path.ts';

/**
 * `dataDir` is this process's already: a socket that is there is one that a killed server left. Undefined, and a line in
 * the log, when there can be no socket: the service itself does not depend on it.
 */
export async function listenForOperator(dataDir: string, deps: Deps): Promise<App | undefined> {
  // A backup sends nothing while the disk syncs it, which may take minutes.
  const timeouts = { ...deps.timeouts, stalledMs: 0 };
  const app = buildApp({ ...deps, timeouts }, operatorCredentials);
  try {
    const path = socketAddress(dataDir);
    if (path === undefined) throw new Error(`${socketFile(dataDir)} is too long for a socket path`);
    removeStale(path);
    await app.http.listen({ path });
    chmodSync(path, 0o600);
    return app;
  } catch (error) {
    await app.http.close();
    deps.logger.warn({ err: error }, 'no operator socket: operator commands cannot reach this server');
    return undefined;
  }
}

/** Nothing but a socket: another file of that name is not ours. */
function removeStale(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket()) rmSync(path);
}
