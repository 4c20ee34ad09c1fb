// What the Debian package says when it is installed. Folders stand for machines, and the programs of Debian do nothing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';

const script = readFileSync(join(import.meta.dirname, 'debian/postinst'), 'utf8');
const programs = ['adduser', 'chown', 'deb-systemd-helper', 'deb-systemd-invoke', 'systemctl', 'db_stop'];

/** Configures the package, for the first time or after a version. Returns what the administrator reads. */
function configure(t: TestContext, { hasSystemd, after = '' }: { hasSystemd: boolean; after?: string }): string {
  const root = mkdtempSync(join(tmpdir(), 'roster-postinst-'));
  t.after(() => rmSync(root, { recursive: true }));
  for (const folder of ['var/lib', 'usr/share/debconf', ...(hasSystemd ? ['run/systemd/system'] : [])]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  writeFileSync(join(root, 'usr/share/debconf/confmodule'), '');
  const stubs = programs.map((name) => `${name.replaceAll('-', '_')}() { :; }\n`).join('');
  const calls = programs.reduce((text, name) => text.replaceAll(name, name.replaceAll('-', '_')), script);
  const here = calls.replaceAll(/ \/(run|usr|var)\//g, ` ${root}/$1/`);
  const { status, stderr } = spawnSync('sh', ['-c', stubs + here, 'postinst', 'configure', after], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stderr.replaceAll(root, '');
}

test('says that the service runs only where systemd does, and elsewhere how to start it', (t) => {
  const withSystemd = configure(t, { hasSystemd: true });
  assert.match(withSystemd, /^Roster runs as the service "roster" and listens on http:/);
  assert.doesNotMatch(withSystemd, /roster serve/);
  const without = configure(t, { hasSystemd: false });
  assert.match(without, /^Roster is not running: .* To start it, run "sudo roster serve"\./);
  assert.doesNotMatch(without, /runs as the service/);
  for (const said of [withSystemd, without]) assert.match(said, /\/var\/lib\/roster\/first-secret\.txt\n/);
});

test('says nothing of it after an upgrade', (t) => {
  assert.equal(configure(t, { hasSystemd: false, after: '0.1.0' }), '');
});
