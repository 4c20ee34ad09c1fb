// The container image, of deploy/Containerfile: an archive that `docker load` and `podman load` take. Its application layer
// is the same bytes for the same commit; its base is a Debian that is made here, and is listed by its packages.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../packages/server/src/version.ts';
import { root } from './bundle.ts';
import { compress } from './compress.ts';
import { platform } from './one-file.ts';

export const imageName = `roster:${version}`;
export const imageFile = `roster-image-${platform}.tar.zst`;
export const imagePackagesFile = `roster-image-${platform}.packages.txt`;

/** The Debian packages of the programs that build it. */
const builders = ['buildah', 'mmdebstrap'];

/** What the machine lacks for it, in a sentence. */
export function missingForImage(): string | undefined {
  if (process.getuid?.() !== 0) return 'run it as root, for mmdebstrap and buildah';
  const missing = builders.filter((name) => spawnSync(name, ['--version']).error !== undefined);
  return missing.length === 0
    ? undefined
    : `install Debian's ${missing.join(' and ')}: apt-get install ${missing.join(' ')}`;
}

export interface ImageParts {
  /** The single executable. */
  executable: string;
  thirdPartyText: string;
  /** An image to take the libraries from, instead of a Debian that is made here. */
  base?: string | undefined;
}

/** Makes the archive and the list of packages, both in the folder `release`. */
export function makeImage({ executable, thirdPartyText, base }: ImageParts, release: string, work: string): void {
  // A storage of its own: images of the machine are neither used nor changed.
  const storage = ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), '--storage-driver', 'vfs'];
  const buildah = (...args: string[]) =>
    execFileSync('buildah', [...storage, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  const context = join(work, 'context');
  mkdirSync(context, { recursive: true });
  copyFileSync(executable, join(context, 'roster'));
  copyFileSync(join(root, 'LICENSE'), join(context, 'LICENSE'));
  writeFileSync(join(context, 'THIRD-PARTY.txt'), thirdPartyText);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  buildah(
    'build',
    ...['--file', join(root, 'deploy/Containerfile'), '--tag', imageName],
    // OCI's own format knows no health checks.
    ...['--format', 'docker'],
    // A layer for each COPY, so that the application's does not contain the base.
    '--layers',
    ...['--timestamp', git('log', '-1', '--format=%ct')],
    ...['--isolation', 'chroot'],
    ...['--build-arg', `BASE=${base ?? makeBase(buildah, work)}`],
    ...['--build-arg', `VERSION=${version}`],
    ...['--build-arg', `REVISION=${git('rev-parse', 'HEAD')}`],
    context,
  );
  const archive = join(work, 'image.tar');
  buildah('push', '--quiet', imageName, `docker-archive:${archive}:${imageName}`);
  writeFileSync(join(release, imageFile), compress(readFileSync(archive)));
  writeFileSync(join(release, imagePackagesFile), packagesOf(buildah));
  rmSync(archive);
}

/** Essential packages and libstdc++, of the release that the Containerfile names. */
function makeBase(buildah: (...args: string[]) => string, work: string): string {
  const tarball = join(work, 'base.tar');
  execFileSync('mmdebstrap', ['--quiet', '--variant=essential', '--include=libstdc++6', 'bookworm', tarball], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const container = buildah('from', 'scratch');
  buildah('add', container, tarball, '/');
  buildah('commit', '--quiet', '--rm', container, 'localhost/roster-base');
  rmSync(tarball);
  return 'localhost/roster-base';
}

/** One line for each: name, version, architecture. */
function packagesOf(buildah: (...args: string[]) => string): string {
  const container = buildah('from', imageName);
  const folder = join(buildah('mount', container), 'var/lib/dpkg/status.d');
  const lines = readdirSync(folder)
    .sort()
    .map((name) => {
      const status = readFileSync(join(folder, name), 'utf8');
      return ['Package', 'Version', 'Architecture'].map((key) => new RegExp(`^${key}: (.+)$`, 'm').exec(status)?.[1]);
    });
  buildah('rm', container);
  return lines.map((line) => `${line.join(' ')}\n`).join('');
}
