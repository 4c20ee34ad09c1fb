// `npm run build`, and what a server runs when there is no build of its sources: builds the console, unless that has
// been done. Prints nothing but what it built, and why it could not.
import { stripVTControlCharacters } from 'node:util';
import { buildConsole } from './console-build.ts';

try {
  const { version, isNew } = await buildConsole();
  console.log(`${isNew ? 'built' : 'there already:'} packages/console/dist/${version}`);
} catch (error) {
  // The bundler begins with how many errors there are; the first of them comes first here.
  const text = error instanceof Error ? error.message : String(error);
  console.error(stripVTControlCharacters(text).replace(/^Build failed with \d+ errors?:\s*/, ''));
  process.exitCode = 1;
}
