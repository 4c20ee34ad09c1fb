// `npm run build`, which `npm ci` runs too: builds the script, unless a build of the present sources is there.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { distFolder, hashSources, isBuilt, scriptFile, sourcesFile } from './widget-script.ts';

try {
  if (isBuilt()) console.log('there already: packages/widget/dist/widget.js');
  else await build();
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  console.error(
    code === 'ERR_MODULE_NOT_FOUND'
      ? `The widget cannot be built without the development dependencies. Run "npm ci", which builds it too. (${message})`
      : message,
  );
  process.exitCode = 1;
}

async function build(): Promise<void> {
  const { bundleWidget } = await import('./bundle.ts');
  const script = await bundleWidget();
  // Whoever builds, the user that runs the service reads the files.
  process.umask(0o022);
  mkdirSync(distFolder, { recursive: true });
  chmodSync(distFolder, 0o755);
  writeFileSync(scriptFile, script);
  // Last: an interrupted build is not taken for a whole one.
  writeFileSync(sourcesFile, hashSources());
  console.log(`built packages/widget/dist/widget.js, ${script.length} bytes`);
}
