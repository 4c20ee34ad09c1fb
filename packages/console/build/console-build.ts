// Builds the console. Apart from what a server needs of a build, so that no release contains the bundler.
import { consoleBuilds } from './build-folder.ts';

export function buildConsole(): Promise<{ version: string; isNew: boolean }> {
  return consoleBuilds.build(async (folder) => {
    const { bundleConsole } = await import('./bundle.ts');
    await bundleConsole(folder);
  });
}
