// The software bill of materials of the lock file, as CycloneDX 1.5 on stdout: npm run --silent sbom > roster.cdx.json
// Development dependencies are in it, marked as such: the console's and the widget's builds contain some of them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Sbom {
  bomFormat: string;
  specVersion: string;
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string; version: string } };
  components: {
    'bom-ref': string;
    purl: string;
    hashes?: { alg: string; content: string }[];
    properties?: { name: string; value: string }[];
  }[];
}

/** By npm itself, without `--omit dev`: that leaves out production packages which development ones use too. */
export function makeSbom(): Sbom {
  const text = execFileSync(
    'npm',
    ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'],
    {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 ** 2,
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  const sbom = JSON.parse(text) as Sbom;
  // The same lock file gives the same document: neither a random number nor the time, nor the name of the folder.
  delete sbom.serialNumber;
  delete sbom.metadata.timestamp;
  sbom.metadata.component.name = 'roster';
  // npm marks a package that is in the lock file twice by one of both places.
  const production = productionPackages();
  for (const component of sbom.components) {
    if (!production.has(component['bom-ref'])) continue;
    component.properties = component.properties?.filter(({ name }) => name !== developmentProperty) ?? [];
  }
  return sbom;
}

const developmentProperty = 'cdx:npm:package:development';

/** As `name@version`. */
function productionPackages(): Set<string> {
  const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, { version?: string; dev?: boolean }>;
  };
  const installed = Object.entries(packages).filter(([path, { dev }]) => path.includes('node_modules/') && !dev);
  return new Set(installed.map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`));
}

if (import.meta.main) console.log(JSON.stringify(makeSbom(), null, 2));
