// npm run release: everything that is installed elsewhere, into the folder `release`. The same commit gives the same
// bytes, on the same kind of machine.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { version } from '../../packages/server/src/version.ts';
import { makeSbom } from '../sbom.ts';
import { bundleProgram, root } from './bundle.ts';
import { packClient, packCommandLine, packServer } from './npm-packages.ts';
import { makeOneFile, nodePackage, platform } from './one-file.ts';
import { packagesOfFiles, thirdPartyText } from './third-party.ts';

const release = join(root, 'release');
const work = join(release, 'work');

rmSync(release, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
const folder = join(work, 'program');
const packages = await bundleProgram(folder);

packClient(release);
await packCommandLine(release);
packServer(release, { folder, packages });

const oneFile = join(release, `roster-${platform}`);
makeOneFile(folder, oneFile);
const content = readFileSync(oneFile);
const params = { [constants.ZSTD_c_compressionLevel]: 19 };
writeFileSync(`${oneFile}.zst`, zstdCompressSync(content, { params }));

writeFileSync(join(release, `roster-${version}.cdx.json`), `${JSON.stringify(makeSbom(), undefined, 2)}\n`);
const contained = [...packages, ...packagesOfFiles(), `node_modules/${nodePackage}`];
writeFileSync(join(release, 'THIRD-PARTY.txt'), thirdPartyText(contained));
writeFileSync(join(release, 'NOTES.md'), notesOf(version));
rmSync(work, { recursive: true });

const names = readdirSync(release).sort();
const sums = names.map((name) => `${sha256(join(release, name))}  ${name}\n`);
writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
for (const name of names) console.log(`${String(statSync(join(release, name)).size).padStart(11)}  release/${name}`);

/** The section of this version. */
function notesOf(wanted: string): string {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^(?=## )/m);
  const section = sections.find((text) => text.startsWith(`## ${wanted}\n`) || text.startsWith(`## ${wanted} `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${wanted}.`);
  return section;
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
