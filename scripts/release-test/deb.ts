// The Debian package in a bare Debian: installed by the documented line, its service started as the unit says, used,
// stopped and started again, removed, purged and installed anew. Its unit, manual page and completions are checked too.
import assert from 'node:assert/strict';
import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { makeDeb } from '../release/deb.ts';
import { type BareRoot, install, makeBareRoot } from './bare-root.ts';
import { testCompletions } from './completions.ts';
import { documentedCommands } from './documented.ts';
import { type Access, awaitService, createContact, findNames, readPages } from './service.ts';

/** Of `systemd-analyze security`, from 0 to 10. */
const exposureMax = 2;

export async function testDeb(executable: string, work: string): Promise<string> {
  const [installIt = '', readSecrets = '', operate = '', removeIt = '', purgeIt = '', deleteAll = ''] =
    documentedCommands('Debian and Ubuntu').map((commands) => commands.replaceAll('sudo ', ''));
  const file = await makeDeb(work, { executable, thirdParty: 'Not tested here.\n', compression: 'none' });
  const root = makeBareRoot();
  const has = (path: string) => existsSync(join(root.folder, path));
  try {
    root.add(file);
    // Nobody is there to answer.
    writeFileSync(join(root.folder, 'etc/apt/apt.conf.d/yes'), 'APT::Get::Assume-Yes "true";\n');
    const said = root.run(installIt);
    assert.match(said, /To start it, run "sudo roster serve"\./);
    assert.match(said, /\/var\/lib\/roster\/first-secret\.txt/);
    assert.equal(root.run('stat -c "%U:%G %a %n" /var/lib/roster /etc/roster/roster.env'), owners);
    assert.ok(has('etc/systemd/system/multi-user.target.wants'), 'the service is enabled');
    const exposure = checkUnit(root, work);
    checkManualPage(root);
    testCompletions(root);

    const first = await awaitService(startUnit(root), performance.now());
    assert.equal(first.secret, undefined, 'the log has no secret');
    const written = root.run(readSecrets);
    const [[botId], [secret]] = [/bot_[a-z0-9]+/.exec(written) ?? [''], /rst_[A-Za-z0-9]+/.exec(written) ?? ['']];
    const access = { url: first.url, botId, secret };
    assert.match(written, /^http:\S+\/console#\/setup\/\S+$/m);
    await createContact(access, 'Jane');
    await readPages(first.url);
    assert.match(root.run(operate), /roster\.db is intact/);
    assert.equal(await first.stop(), 0);
    await expectJane(root, access);

    root.run(installIt.replace('install', 'install --reinstall'));
    await expectJane(root, access);
    root.run(removeIt);
    assert.deepEqual([has('usr/bin/roster'), has('etc/roster/roster.env')], [false, true], 'a removal keeps settings');
    assert.match(root.run(purgeIt, { DEBIAN_FRONTEND: 'noninteractive' }), /data of Roster is kept/);
    assert.equal(has('etc/roster'), false, 'a purge removes the settings');
    root.run(installIt);
    await expectJane(root, access);
    root.run(deleteAll, { DEBIAN_FRONTEND: 'noninteractive' });
    assert.deepEqual([has('usr/bin/roster'), has('var/lib/roster')], [false, false]);
    return `The unit's exposure is ${exposure} of 10`;
  } finally {
    root.remove();
  }
}

const owners = 'roster:roster 700 /var/lib/roster\nroot:root 600 /etc/roster/roster.env\n';

/** As the unit restricts it, as far as a shell can. */
const asRoster =
  'setpriv --reuid=roster --regid=roster --init-groups --no-new-privs --bounding-set=-all --inh-caps=-all env HOME=/var/lib/roster ';

const unitPath = 'lib/systemd/system/roster.service';

/** A folder has no systemd that could start it, so that this does what the unit says. */
function startUnit(root: BareRoot): ChildProcess {
  const unit = readFileSync(join(root.folder, unitPath), 'utf8');
  const valuesOf = (name: string) =>
    Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value = '']) => value);
  const settings = readFileSync(join(root.folder, valuesOf('EnvironmentFile')[0]?.replace('-', '') ?? ''), 'utf8');
  const env = { ...parseEnv([...valuesOf('Environment'), settings].join('\n')), ROSTER_PORT: '0' };
  const folder = valuesOf('WorkingDirectory')[0];
  return root.start(`umask ${valuesOf('UMask')[0]}\ncd ${folder}\n${asRoster}${valuesOf('ExecStart')[0]}`, env);
}

async function expectJane(root: BareRoot, access: Access): Promise<void> {
  const service = await awaitService(startUnit(root), performance.now());
  assert.deepEqual(await findNames({ ...access, url: service.url }), ['Jane']);
  assert.equal(await service.stop(), 0);
}

/** Returns the unit's exposure, by systemd's own measure. */
function checkUnit({ folder }: BareRoot, work: string): number {
  install('systemd-analyze', 'systemd');
  const unit = join(work, 'roster.service');
  // For the systemd of this machine, which has no such program.
  const text = readFileSync(join(folder, unitPath), 'utf8').replace('=/usr/bin/', `=${folder}/usr/bin/`);
  writeFileSync(unit, text);
  assert.equal(check('systemd-analyze', ['verify', '--man=no', unit]), '');
  const judged = check('systemd-analyze', ['security', '--offline=true', '--no-pager', unit]);
  const exposure = Number(/exposure level for roster\.service: ([\d.]+)/.exec(judged)?.[1]);
  assert.ok(exposure < exposureMax, judged);
  return exposure;
}

function checkManualPage({ folder }: BareRoot): void {
  install('man', 'man-db');
  const page = join(folder, 'usr/share/man/man1/roster.1.gz');
  // With its warnings on the same stream, before the page.
  const shown = check('man', ['--warnings', '--encoding=UTF-8', '--local-file', page]);
  assert.match(shown, /^ROSTER\(1\)/);
  for (const text of ['roster contacts import', '/etc/roster/roster.env']) assert.ok(shown.includes(text), text);
}

/** What a program of this machine writes, its errors included. */
function check(program: string, args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', LC_ALL: 'C.UTF-8', MANWIDTH: '80', MANPAGER: 'cat' };
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', env });
  if (error !== undefined) throw error;
  assert.equal(status, 0, `${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stderr + stdout;
}
