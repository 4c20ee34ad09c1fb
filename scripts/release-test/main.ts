// npm run release-test -- one-file npm: makes what a release would contain, installs it as docs/operations/install.md
// says, and uses it. As root on Debian: the single executable is tried in a bare root of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram } from '../release/bundle.ts';
import { testNpm } from './npm.ts';
import { testOneFile } from './one-file.ts';

const ways: Record<string, (program: { folder: string; packages: string[] }, work: string) => Promise<string>> = {
  'one-file': ({ folder }, work) => testOneFile(folder, work),
  npm: testNpm,
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in ways));
if (chosen.length === 0 || unknown.length > 0) {
  console.error(`Which ways of installing? npm run release-test -- ${Object.keys(ways).join(' ')}`);
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), 'roster-release-test-'));
try {
  const folder = join(work, 'program');
  const program = { folder, packages: await bundleProgram(folder) };
  for (const name of chosen) {
    const startedAtMs = performance.now();
    const found = await ways[name]?.(program, work);
    console.log(`${name}: works, tested in ${Math.round((performance.now() - startedAtMs) / 1000)} s. ${found}.`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
