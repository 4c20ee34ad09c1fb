// npm run release: everything that is installed elsewhere, into the folder `release`. The same commit gives the same
// bytes, on the same kind of machine.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { version } from '../../packages/server/src/version.ts';
import { makeSbom } from '../sbom.ts';
import { bundleProgram, root } from './bundle.ts';
import { compress } from './compress.ts';
import { makeDeb } from './deb.ts';
import { makeImage, missingForImage } from './image.ts';
import { notesOf } from './notes.ts';
import { packClient, packCommandLine, packServer } from './npm-packages.ts';
import { makeOneFile, nodePackage, platform } from './one-file.ts';
import { packagesOfFiles, thirdPartyText } from './third-party.ts';

const { values } = parseArgs({
  options: {
    /** A Debian that buildah can fetch, instead of one that mmdebstrap makes. */
    'image-base': { type: 'string' },
  },
});
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
writeFileSync(`${oneFile}.zst`, compress(readFileSync(oneFile)));

writeFileSync(join(release, `roster-${version}.cdx.json`), `${JSON.stringify(makeSbom(), undefined, 2)}\n`);
const contained = [...packages, ...packagesOfFiles(), `node_modules/${nodePackage}`];
const thirdParty = thirdPartyText(contained);
writeFileSync(join(release, 'THIRD-PARTY.txt'), thirdParty);
await makeDeb(release, { executable: oneFile, thirdParty });
writeFileSync(join(release, 'NOTES.md'), notesOf(version));

const missing = missingForImage();
if (missing === undefined)
  makeImage({ executable: oneFile, thirdPartyText: thirdParty, base: values['image-base'] }, release, work);
rmSync(work, { recursive: true });

const names = readdirSync(release).sort();
const sums = names.map((name) => `${sha256(join(release, name))}  ${name}\n`);
writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
for (const name of names) console.log(`${String(statSync(join(release, name)).size).padStart(11)}  release/${name}`);
if (missing !== undefined) console.log(`Without the container image. To build it, ${missing}`);

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
