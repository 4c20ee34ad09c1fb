// The server of a release: a bundle of its own beside the command line's, parsed only when a command needs it. It is five sixths of
// the code, and most commands speak to a server that runs already.
import { createRequire } from 'node:module';
import { getAsset, isSea } from 'node:sea';
import { compileFunction } from 'node:vm';

export const serverBundleName = 'server.cjs';

const requireHere = createRequire(import.meta.url);
let loaded: Record<string, object> | undefined;

/** One of the server's public entries, by the name under which its package exports it. */
export function bundledEntry(name: string): object | undefined {
  loaded ??= isSea() ? evaluateAsset() : requireHere(`./${serverBundleName}`);
  return loaded?.[name];
}

/** The executable has no file to require. */
function evaluateAsset(): Record<string, object> {
  const parameters = ['exports', 'require', 'module', '__filename'];
  const evaluate = compileFunction(getAsset(serverBundleName, 'utf8'), parameters, { filename: serverBundleName });
  const module = { exports: {} };
  evaluate(module.exports, requireHere, module, process.execPath);
  return module.exports;
}
