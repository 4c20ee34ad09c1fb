// `npm run build`, which `npm ci` runs too: builds the console, unless a build of the present sources is there. Prints
// nothing but what it built, and why it could not.
import { stripVTControlCharacters } from 'node:util';
import { buildConsole } from './console-build.ts';

try {
  const { version, isNew } = await buildConsole();
  console.log(`${isNew ? 'built' : 'there already:'} packages/console/dist/${version}`);
} catch (error) {
  console.error(explain(error as NodeJS.ErrnoException));
  process.exitCode = 1;
}

function explain({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_MODULE_NOT_FOUND') {
    return `The console cannot be built without the development dependencies. Run "npm ci", which builds it too. (${message})`;
  }
  // The bundler's message begins with the number of errors. The first error is the useful part.
  return stripVTControlCharacters(message).replace(/^Build failed with \d+ errors?:\s*/, '');
}
