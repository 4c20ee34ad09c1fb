// The Debian package: the single executable with its service, settings, manual page and completions. What is neither
// code nor generated is in the folder `debian`.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describeProgram } from '../../packages/cli/src/command-tree.ts';
import { allCommands } from '../../packages/cli/src/commands/all-commands.ts';
import { completionScript } from '../../packages/cli/src/completion/scripts.ts';
import { makeProgram } from '../../packages/cli/src/program.ts';
import { version } from '../../packages/server/src/version.ts';
import { root } from './bundle.ts';
import { manPage } from './man-page.ts';
import { notesOf } from './notes.ts';

/** As Debian names kinds of machines. */
export const architecture = process.arch === 'x64' ? 'amd64' : process.arch;

export const debName = `roster_${version}_${architecture}.deb`;

const maintainer = 'The Roster authors <roster@example.com>';

export interface DebParts {
  /** The single executable. */
  executable: string;
  /** The licences of what it contains. */
  thirdParty: string;
  /** None makes a large package in no time, for tests. */
  compression?: 'xz' | 'none';
}

/** Makes the package in a folder. Returns its file. */
export async function makeDeb(release: string, { executable, thirdParty, compression = 'xz' }: DebParts) {
  const folder = join(release, 'debian-package');
  const releasedAt = commitTime();
  const put = (path: string, content: string | Buffer, mode = 0o644) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
  };
  mkdirSync(join(folder, 'usr/bin'), { recursive: true });
  copyFileSync(executable, join(folder, 'usr/bin/roster'));
  put('lib/systemd/system/roster.service', source('roster.service'));
  // It may come to hold passwords.
  put('etc/roster/roster.env', source('roster.env'), 0o600);
  put('usr/share/man/man1/roster.1.gz', zip(await manPage(releasedAt)));
  const program = describeProgram(await makeProgram([], allCommands));
  put('usr/share/bash-completion/completions/roster', completionScript('bash', program));
  put('usr/share/zsh/vendor-completions/_roster', completionScript('zsh', program));
  put('usr/share/fish/vendor_completions.d/roster.fish', completionScript('fish', program));
  put('usr/share/doc/roster/copyright', copyright());
  put('usr/share/doc/roster/changelog.gz', zip(changelog(releasedAt)));
  put('usr/share/doc/roster/THIRD-PARTY.txt.gz', zip(thirdParty));
  put('usr/share/lintian/overrides/roster', source('lintian-overrides'));

  const files = entriesOf(folder).filter((path) => statSync(join(folder, path)).isFile());
  const bytes = files.reduce((sum, path) => sum + statSync(join(folder, path)).size, 0);
  const sums = files.filter((path) => !path.startsWith('etc/')).map((path) => `${md5(join(folder, path))}  ${path}\n`);
  put('DEBIAN/control', control(Math.ceil(bytes / 1024)));
  put('DEBIAN/conffiles', '/etc/roster/roster.env\n');
  put('DEBIAN/md5sums', sums.join(''));
  put('DEBIAN/templates', source('templates'));
  for (const name of ['postinst', 'prerm', 'postrm']) put(`DEBIAN/${name}`, source(name), 0o755);

  for (const path of ['.', ...entriesOf(folder)]) {
    const entry = join(folder, path);
    // Whatever the umask.
    if (statSync(entry).isDirectory()) chmodSync(entry, 0o755);
    utimesSync(entry, releasedAt, releasedAt);
  }
  const file = join(release, debName);
  execFileSync('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', folder, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(releasedAt.getTime() / 1000) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(folder, { recursive: true });
  return file;
}

const source = (name: string) => readFileSync(join(import.meta.dirname, 'debian', name), 'utf8');

const entriesOf = (folder: string) =>
  globSync('**', { cwd: folder })
    .filter((path) => path !== '.')
    .sort();

const md5 = (file: string) => createHash('md5').update(readFileSync(file)).digest('hex');

/** Node writes no time into it. */
const zip = (text: string) => gzipSync(text, { level: 9 });

/** As others do who build reproducibly: https://reproducible-builds.org/docs/source-date-epoch/ */
function commitTime(): Date {
  const given = process.env['SOURCE_DATE_EPOCH'];
  const seconds = given || execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return new Date(Number(seconds) * 1000);
}

function control(installedKiB: number): string {
  return `Package: roster
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${installedKiB}
Depends: adduser, debconf (>= 0.5) | debconf-2.0, init-system-helpers (>= 1.54), libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8)
Section: web
Priority: optional
Description: contacts of chat bots, and who the visitor is
 Roster keeps the contacts of your chat bots and tells your bot who is
 visiting. This package installs the service with its API, the console for
 your team, the widget for your pages, and the command line.
`;
}

function copyright(): string {
  const [title = '', holder = '', ...terms] = readFileSync(join(root, 'LICENSE'), 'utf8').trim().split(/\n\n/);
  const indented = terms
    .join('\n\n')
    .split('\n')
    .map((line) => (line === '' ? ' .' : ` ${line}`));
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Roster
Comment: The executable contains software of others. Its licences are in
 /usr/share/doc/roster/THIRD-PARTY.txt.gz.

Files: *
Copyright: ${holder.replace(/^Copyright \(c\) /, '')}
License: ${title === 'MIT License' ? 'Expat' : title}
${indented.join('\n')}
`;
}

/** In Debian's format: https://manpages.debian.org/bookworm/dpkg-dev/deb-changelog.5.html */
function changelog(releasedAt: Date): string {
  const lines = notesOf(version)
    .split(/^(?=- |### )/m)
    .slice(1)
    .map((entry) => entry.trim().replaceAll(/\s+/g, ' '))
    .map((entry) =>
      entry.startsWith('### ')
        ? `\n  [ ${entry.slice(4)} ]`
        : wrap(entry.slice(2), 74).replaceAll('\n', '\n    ').replace(/^/, '  * '),
    );
  const date = releasedAt.toUTCString().replace('GMT', '+0000');
  return `roster (${version}) stable; urgency=medium\n${lines.join('\n')}\n\n -- ${maintainer}  ${date}\n`;
}

function wrap(text: string, width: number): string {
  return text.replaceAll(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n').trimEnd();
}
