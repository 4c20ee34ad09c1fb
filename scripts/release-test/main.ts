// npm run release-test -- one-file deb npm image proxies: makes what a release would contain, installs it as
// docs/operations says, and uses it. As root on Debian: the single executable and the Debian package are tried in bare
// roots of their own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram } from '../release/bundle.ts';
import { makeOneFile, platform } from '../release/one-file.ts';
import { install } from './bare-root.ts';
import { testDeb } from './deb.ts';
import { testImage } from './image.ts';
import { testNpm } from './npm.ts';
import { testOneFile } from './one-file.ts';
import { testProxies } from './proxies.ts';

interface Made {
  program: { folder: string; packages: string[] };
  /** The single executable, which is made when it is first asked for. */
  executable(): string;
  work: string;
}

const ways: Record<string, (made: Made) => Promise<string>> = {
  'one-file': ({ executable }) => testOneFile(executable()),
  deb: ({ executable, work }) => testDeb(executable(), work),
  npm: ({ program, work }) => testNpm(program, work),
  image: ({ program, executable, work }) => testImage(executable(), program.packages, work),
  proxies: ({ executable, work }) => testProxies(executable(), work),
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
  let file: string | undefined;
  const executable = () => {
    if (file === undefined) {
      install('strip', 'binutils');
      const target = join(work, `roster-${platform}`);
      makeOneFile(folder, target);
      file = target;
    }
    return file;
  };
  // One that fails does not keep the others from being tried.
  for (const name of chosen) {
    const startedAtMs = performance.now();
    const seconds = () => Math.round((performance.now() - startedAtMs) / 1000);
    try {
      const found = await ways[name]?.({ program, executable, work });
      console.log(`${name}: works, tested in ${seconds()} s. ${found}.`);
    } catch (error) {
      process.exitCode = 1;
      console.error(`${name}: FAILED after ${seconds()} s.`, error);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
// What a way that failed has left running does not keep this process from ending.
process.exit();
