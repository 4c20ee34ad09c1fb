// Builds the console. Apart from what a server needs of a build, so that no release contains the bundler.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { distFolder, folderOf, hashSources } from './build-folder.ts';

/** Builds the present sources, unless that has been done, and removes builds of other sources. */
export async function buildConsole(): Promise<{ version: string; isNew: boolean }> {
  const version = hashSources();
  if (existsSync(folderOf(version))) return { version, isNew: false };
  const { bundleConsole } = await import('./bundle.ts');
  // Whoever builds, the user that runs the service reads the files.
  process.umask(0o022);
  const unfinished = new URL(`unfinished-${process.pid}/`, distFolder);
  mkdirSync(unfinished, { recursive: true });
  chmodSync(distFolder, 0o755);
  try {
    await bundleConsole(fileURLToPath(unfinished));
    writeFileSync(new URL('version', unfinished), version);
    renameSync(unfinished, folderOf(version));
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
  // A running server holds its build in memory.
  for (const name of readdirSync(distFolder)) {
    if (name !== version) rmSync(new URL(name, distFolder), { recursive: true });
  }
  return { version, isNew: true };
}
