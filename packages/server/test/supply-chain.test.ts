// What is installed with Roster: the lock file has what our packages ask for, the bill of materials names all of it, and none of it runs
// anything while it is installed.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { makeSbom } from '../../../scripts/sbom.ts';

interface Locked {
  version: string;
  integrity?: string;
  link?: boolean;
  dev?: boolean;
  hasInstallScript?: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'));
const locked = Object.entries(read('package-lock.json').packages as Record<string, Locked>)
  .filter(([path, { link }]) => path.includes('node_modules/') && !link)
  .map(([path, entry]) => ({ name: path.split('node_modules/').at(-1) as string, ...entry }));

test('the bill of materials names every package of the lock file, with its hash, and is the same each time', () => {
  const sbom = makeSbom();
  assert.equal(sbom.bomFormat, 'CycloneDX');
  const components = new Map(sbom.components.map((component) => [component['bom-ref'], component]));
  assert.ok(locked.some(({ name, dev }) => name === 'fastify' && !dev));
  for (const { name, version, integrity = '', dev = false } of locked) {
    const component = components.get(`${name}@${version}`);
    assert.ok(component, `${name}@${version} is named`);
    assert.equal(decodeURIComponent(component.purl), `pkg:npm/${name}@${version}`);
    const hashes = component.hashes?.map(({ content }) => `sha512-${Buffer.from(content, 'hex').toString('base64')}`);
    assert.deepEqual(hashes, [integrity]);
    const isMarked = component.properties?.some((property) => property.name === 'cdx:npm:package:development') ?? false;
    assert.ok(!isMarked || dev, `${name} is installed in production`);
  }
  assert.deepEqual(makeSbom(), sbom);
});

test('no dependency runs a script when it is installed', () => {
  const decided: Record<string, boolean> = read('package.json').allowScripts;
  const withScript = locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
  assert.deepEqual(decided, Object.fromEntries(withScript.map((name) => [name, false])));
});

test('all packages have the version of the whole', () => {
  const { version } = read('package.json');
  const manifests = globSync('packages/*/package.json', { cwd: new URL('../../../', import.meta.url) });
  assert.ok(manifests.length > 1);
  for (const manifest of manifests) assert.equal(read(manifest).version, version, manifest);
});

suite('package-lock.json', () => {
  const kinds = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
  const { packages } = read('package-lock.json') as { packages: Record<string, Record<string, unknown>> };

  // npm installs from a lock file that lacks a package of the workspace without a word, and mends it at some later time.
  for (const folder of Object.keys(packages).filter((place) => !place.includes('node_modules/'))) {
    test(`names the dependencies of ${folder || 'the project'} as its package.json does`, () => {
      const manifest = read(join(folder, 'package.json'));
      for (const kind of kinds) assert.deepEqual(packages[folder]?.[kind], manifest[kind], kind);
    });
  }
});
