// Settings: each one's default, what it takes, what it refuses, and how problems are reported.
import assert from 'node:assert/strict';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { limits } from '@roster/contract';
import { defaultQuotas } from '../account/quotas.ts';
import { privateNetworks } from '../delivery/public-addresses.ts';
import { defaultRetriesMs } from '../delivery/schedule.ts';
import { type Config, ConfigError, loadConfig, readConfig } from './config.ts';

const folder = '/srv/roster';

suite('settings', () => {
  test('nothing has to be set', () => {
    assert.deepEqual(readConfig({}, folder), {
      host: '127.0.0.1',
      port: 8080,
      dataDir: '/srv/roster/data',
      database: undefined,
      workers: 1,
      stopDelayMs: 0,
      stopTimeoutMs: 8000,
      publicUrl: 'http://127.0.0.1:8080',
      isPrintingSecrets: true,
      hstsSubdomains: false,
      trustProxy: false,
      bodyLimitBytes: limits.bodyBytes,
      connectionsPerAddress: 1000,
      rateLimitPerMinute: undefined,
      logLevel: 'info',
      metricsToken: undefined,
      quotas: {
        botsPerOrganization: 1000,
        secretsPerOrganization: 1000,
        invitationsPerOrganization: 500,
        tokensPerContact: 10_000,
        sessionsPerMember: 100,
      },
      securityContact: undefined,
      backupDir: undefined,
      provisioning: undefined,
      auditDays: 365,
      eventDays: 30,
      webhookRetriesMs: defaultRetriesMs,
      webhookNetworks: [],
    } satisfies Config);
  });

  test('an empty setting counts as not set, and white space around a value is dropped', () => {
    const names = ['HOST', 'PORT', 'DATA_DIR', 'PUBLIC_URL', 'TRUST_PROXY', 'BODY_LIMIT', 'RATE_LIMIT', 'LOG_LEVEL'];
    const others = [
      'HSTS_SUBDOMAINS',
      'PRINT_SECRETS',
      'CONNECTIONS_PER_ADDRESS',
      'BOTS_PER_ORGANIZATION',
      'SECRETS_PER_ORGANIZATION',
      'INVITATIONS_PER_ORGANIZATION',
      'TOKENS_PER_CONTACT',
      'SESSIONS_PER_MEMBER',
      'METRICS_TOKEN',
      'SECURITY_CONTACT',
      'WORKERS',
      'STOP_DELAY',
      'STOP_TIMEOUT',
      'MIGRATE',
      'DATABASE_CONNECTIONS',
    ];
    const empty = Object.fromEntries([...names, ...others].map((name) => [`ROSTER_${name}`, ' ']));
    assert.deepEqual(readConfig({ ...empty, DATABASE_URL: '' }, folder), readConfig({}, folder));
    assert.equal(readConfig({ ROSTER_PORT: ' 81 ' }, folder).port, 81);
  });

  const taken: [name: string, text: string, key: keyof Config, value: unknown][] = [
    ['ROSTER_HOST', '0.0.0.0', 'host', '0.0.0.0'],
    ['ROSTER_HOST', '0.0.0.0', 'publicUrl', 'http://localhost:8080'],
    ['ROSTER_HOST', '::', 'publicUrl', 'http://localhost:8080'],
    ['ROSTER_HOST', '0::0', 'publicUrl', 'http://localhost:8080'],
    ['ROSTER_HOST', '::1', 'publicUrl', 'http://[::1]:8080'],
    ['ROSTER_HOST', 'localhost', 'publicUrl', 'http://127.0.0.1:8080'],
    ['ROSTER_PORT', '0', 'port', 0],
    ['ROSTER_PORT', '65535', 'port', 65535],
    ['ROSTER_PORT', '9000', 'publicUrl', 'http://127.0.0.1:9000'],
    ['ROSTER_DATA_DIR', 'elsewhere', 'dataDir', '/srv/roster/elsewhere'],
    ['ROSTER_DATA_DIR', '/var/lib/roster', 'dataDir', '/var/lib/roster'],
    ['ROSTER_PUBLIC_URL', 'https://contacts.example.com/', 'publicUrl', 'https://contacts.example.com'],
    ['ROSTER_PUBLIC_URL', 'https://example.com/roster/', 'publicUrl', 'https://example.com/roster'],
    ['ROSTER_PRINT_SECRETS', 'false', 'isPrintingSecrets', false],
    ['ROSTER_SECURITY_CONTACT', 'mailto:security@example.com', 'securityContact', 'mailto:security@example.com'],
    ['ROSTER_SECURITY_CONTACT', 'https://example.com/report', 'securityContact', 'https://example.com/report'],
    ['ROSTER_TRUST_PROXY', '0', 'trustProxy', false],
    ['ROSTER_TRUST_PROXY', 'false', 'trustProxy', false],
    ['ROSTER_TRUST_PROXY', '2', 'trustProxy', 2],
    ['ROSTER_TRUST_PROXY', '10.0.0.0/8, loopback,fd00::/8', 'trustProxy', ['10.0.0.0/8', 'loopback', 'fd00::/8']],
    ['ROSTER_BODY_LIMIT', '1024', 'bodyLimitBytes', 1024],
    ['ROSTER_BODY_LIMIT', '134217728', 'bodyLimitBytes', 128 * 1024 ** 2],
    ['ROSTER_HSTS_SUBDOMAINS', 'true', 'hstsSubdomains', true],
    ['ROSTER_CONNECTIONS_PER_ADDRESS', '50', 'connectionsPerAddress', 50],
    ['ROSTER_BOTS_PER_ORGANIZATION', '3', 'quotas', { ...defaultQuotas, botsPerOrganization: 3 }],
    ['ROSTER_INVITATIONS_PER_ORGANIZATION', '9', 'quotas', { ...defaultQuotas, invitationsPerOrganization: 9 }],
    ['ROSTER_TOKENS_PER_CONTACT', '7', 'quotas', { ...defaultQuotas, tokensPerContact: 7 }],
    ['ROSTER_SESSIONS_PER_MEMBER', '1', 'quotas', { ...defaultQuotas, sessionsPerMember: 1 }],
    ['ROSTER_RATE_LIMIT', '600', 'rateLimitPerMinute', 600],
    ['ROSTER_AUDIT_DAYS', '30', 'auditDays', 30],
    ['ROSTER_EVENT_DAYS', '7', 'eventDays', 7],
    ['ROSTER_WEBHOOK_RETRIES', '5, 60,0.5', 'webhookRetriesMs', [5000, 60_000, 500]],
    ['ROSTER_WEBHOOK_PRIVATE', '1', 'webhookNetworks', privateNetworks],
    [
      'ROSTER_WEBHOOK_ALLOW',
      '10.0.0.0/8, 127.0.0.1,fd00::/8',
      'webhookNetworks',
      ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'],
    ],
    ['ROSTER_BACKUP_DIR', 'backups', 'backupDir', '/srv/roster/backups'],
    ['ROSTER_STOP_DELAY', '5', 'stopDelayMs', 5000],
    ['ROSTER_STOP_TIMEOUT', '25', 'stopTimeoutMs', 25_000],
    ['ROSTER_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
    ['ROSTER_METRICS_TOKEN', '0123456789abcdef', 'metricsToken', '0123456789abcdef'],
    [
      'DATABASE_URL',
      'postgres://me@db/roster',
      'database',
      { url: 'postgres://me@db/roster', connections: 12, isMigrating: true },
    ],
  ];
  for (const [name, text, key, value] of taken) {
    test(`${name}=${text} gives ${key} ${JSON.stringify(value)}`, () => {
      assert.deepEqual(readConfig({ [name]: text }, folder)[key], value);
    });
  }

  const refused: [name: string, texts: string[]][] = [
    ['ROSTER_HOST', ['example.com', '127.0.0.1:80', '1.2.3', '[::1]']],
    ['ROSTER_PORT', ['65536', '-1', '80.5', '0x50', '1e3', 'http', '８０']],
    ['ROSTER_PUBLIC_URL', ['example.com', 'ftp://example.com', 'https://x/?a=1', 'https://x/#a']],
    ['ROSTER_TRUST_PROXY', ['true', '-1', '1.5', '10.0.0.0/33', '10.0.0.0/8/8', 'fd00::/129', 'proxy', '10.0.0.1,']],
    ['ROSTER_BODY_LIMIT', ['1023', '134217729', '10mb', '-5']],
    ['ROSTER_RATE_LIMIT', ['0', '-1', '1.5', 'none']],
    ['ROSTER_AUDIT_DAYS', ['0', '36501', '1y']],
    ['ROSTER_WEBHOOK_RETRIES', ['0', '5,,60', '5 60', '-1', '1m', '604801', `1${',1'.repeat(50)}`]],
    ['ROSTER_WEBHOOK_PRIVATE', ['yes', '2']],
    [
      'ROSTER_WEBHOOK_ALLOW',
      [
        '1',
        'loopback',
        '10.0.0.0/33',
        '10.0.0.0/8;::1',
        'fd00::/129',
        '169.254.169.254',
        'fe80::/10',
        'fe80::1%eth0',
        ',',
      ],
    ],
    ['ROSTER_EVENT_DAYS', ['0', '1', '6', '3651', '-7', '1w']],
    ['ROSTER_LOG_LEVEL', ['INFO', 'verbose', '30']],
    ['ROSTER_WORKERS', ['0', '257', 'all']],
    ['ROSTER_STOP_DELAY', ['-1', '301', '5s']],
    ['ROSTER_STOP_TIMEOUT', ['0', '7', '301', '8s']],
    ['ROSTER_DATABASE_CONNECTIONS', ['2', 'many']],
    ['ROSTER_MIGRATE', ['no', '0', 'TRUE']],
    ['ROSTER_PRINT_SECRETS', ['no', 'file']],
    ['ROSTER_SECURITY_CONTACT', ['security', 'http://example.com', 'https://a b', 'tel:911', 'javascript:alert()']],
  ];
  for (const [name, texts] of refused) {
    for (const text of texts) {
      test(`${name}=${text} is refused, by name and value`, () => {
        const [problem = '', ...others] = problemsOf({ [name]: text });
        assert.deepEqual(others, []);
        assert.ok(problem.startsWith(`${name} must be `), problem);
        assert.ok(problem.endsWith(`; it is "${text}".`), problem);
      });
    }
  }

  test('the settings of a setup are taken together, and trimmed', () => {
    const settings = { ROSTER_SETUP_ORG: ' Acme ', ROSTER_SETUP_BOT: 'Shop', ROSTER_SETUP_SECRET_FILE: 'shop.secret' };
    const provisioning = { organization: 'Acme', bot: 'Shop', owner: undefined, secretFile: '/srv/roster/shop.secret' };
    assert.deepEqual(readConfig(settings, folder).provisioning, provisioning);
    const owned = readConfig({ ...settings, ROSTER_SETUP_OWNER: 'dana@example.com' }, folder).provisioning;
    assert.deepEqual(owned, { ...provisioning, owner: 'dana@example.com' });
    for (const name of Object.keys(settings)) {
      const [problem = '', ...others] = problemsOf({ ...settings, [name]: '' });
      assert.deepEqual(others, []);
      assert.match(problem, /are needed together\. Set all three\.$/);
    }
    const [wrong = ''] = problemsOf({ ...settings, ROSTER_SETUP_OWNER: 'dana' });
    assert.match(wrong, /^ROSTER_SETUP_OWNER must be an email address/);
    const [long = ''] = problemsOf({ ...settings, ROSTER_SETUP_ORG: 'x'.repeat(10_000) });
    assert.match(long, /^ROSTER_SETUP_ORG must be a name of up to/);
  });

  test('an address with a password in it is refused, and the password not repeated', () => {
    const [problem = ''] = problemsOf({ ROSTER_PUBLIC_URL: 'https://me:hunter2@x/' });
    assert.ok(problem.startsWith('ROSTER_PUBLIC_URL must be '), problem);
    assert.ok(!problem.includes('hunter2'), problem);
  });

  test('all problems are reported at once, a line for each', () => {
    const problems = problemsOf({
      ROSTER_HOST: 'nowhere.example',
      ROSTER_PORT: 'x',
      ROSTER_PUBLIC_URL: 'x',
      ROSTER_TRUST_PROXY: 'true',
      ROSTER_BODY_LIMIT: 'x',
      ROSTER_RATE_LIMIT: 'x',
      ROSTER_LOG_LEVEL: 'x',
      ROSTER_METRICS_TOKEN: 'short',
      DATABASE_URL: 'mysql://localhost/roster',
    });
    assert.deepEqual(
      problems.map((line) => line.split(' ', 1)[0]),
      [
        'ROSTER_HOST',
        'ROSTER_PORT',
        'ROSTER_PUBLIC_URL',
        'ROSTER_TRUST_PROXY',
        'ROSTER_BODY_LIMIT',
        'ROSTER_RATE_LIMIT',
        'ROSTER_LOG_LEVEL',
        'ROSTER_METRICS_TOKEN',
        'DATABASE_URL',
      ],
    );
  });

  test('the settings of the database count only with its address', () => {
    const settings = { ROSTER_DATABASE_CONNECTIONS: '30', ROSTER_MIGRATE: 'false' };
    assert.equal(readConfig(settings, folder).database, undefined);
    const { database } = readConfig({ ...settings, DATABASE_URL: 'postgres:///roster' }, folder);
    assert.deepEqual(database, { url: 'postgres:///roster', connections: 30, isMigrating: false });
  });

  test('more than one worker is refused without PostgreSQL, with the reason', () => {
    const [problem = ''] = problemsOf({ ROSTER_WORKERS: '2' });
    assert.match(problem, /^ROSTER_WORKERS .*SQLite file belongs to one process.*DATABASE_URL/);
    assert.equal(readConfig({ ROSTER_WORKERS: '2', DATABASE_URL: 'postgres:///roster' }, folder).workers, 2);
  });

  test('a value that may be secret is not quoted', () => {
    const [tooShort] = problemsOf({ ROSTER_METRICS_TOKEN: 'canary-short' });
    assert.match(tooShort ?? '', /^ROSTER_METRICS_TOKEN .*16/);
    assert.doesNotMatch(tooShort ?? '', /canary/);
    const [database] = problemsOf({ DATABASE_URL: 'canary/canary' });
    assert.match(database ?? '', /^DATABASE_URL must be a postgres:/);
    assert.doesNotMatch(database ?? '', /canary/);
  });
});

test('the command line takes precedence over the environment', () => {
  const config = loadConfig({ ROSTER_PORT: '81' }, { ROSTER_PORT: '82', ROSTER_LOG_LEVEL: 'warn' }, '/nowhere');
  assert.deepEqual([config.port, config.logLevel], [81, 'warn']);
});

suite('the .env file', () => {
  test('is read from the working folder, and the environment takes precedence', async (t) => {
    const home = await makeFolder(t);
    await writeFile(
      join(home, '.env'),
      '# comment\nROSTER_PORT=9001\nROSTER_LOG_LEVEL="warn"\nexport ROSTER_RATE_LIMIT=5\nROSTER_HOST=\n',
      { mode: 0o600 },
    );
    const config = loadConfig({}, { ROSTER_LOG_LEVEL: 'error' }, home);
    assert.equal(config.port, 9001);
    assert.equal(config.logLevel, 'error');
    assert.equal(config.rateLimitPerMinute, 5);
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.dataDir, join(home, 'data'));
  });

  test('need not be there', async (t) => {
    const home = await makeFolder(t);
    assert.deepEqual(loadConfig({}, {}, home), readConfig({}, home));
  });

  test('has its problems reported together with those of the environment', async (t) => {
    const home = await makeFolder(t);
    await writeFile(join(home, '.env'), 'ROSTER_PORT=x\n', { mode: 0o600 });
    assert.throws(() => loadConfig({}, { ROSTER_HOST: 'x' }, home), /^ConfigError: ROSTER_HOST .*\nROSTER_PORT .*$/);
  });

  test('that others can read or change, or that is theirs, is refused and says what to do', async (t) => {
    const home = await makeFolder(t);
    const file = join(home, '.env');
    await writeFile(file, 'ROSTER_PORT=9001\n');
    for (const mode of [0o644, 0o640, 0o604, 0o620, 0o602]) {
      await chmod(file, mode);
      assert.throws(() => loadConfig({}, {}, home), /^ConfigError: Other users can read or change .*chmod 600/);
    }
    await chmod(file, 0o600);
    assert.equal(loadConfig({}, {}, home).port, 9001);
    // Only root may give a file away.
    if (process.getuid?.() === 0) {
      await chown(file, 65534, 65534);
      assert.throws(() => loadConfig({}, {}, home), /^ConfigError: Other users can read or change .*chmod 600/);
    }
  });

  test('that cannot be read is a problem with a name, not a crash', async (t) => {
    const home = await makeFolder(t);
    // A folder of that name is unreadable as a file for every user, root too.
    await mkdir(join(home, '.env'));
    assert.throws(() => loadConfig({}, {}, home), ConfigError);
  });
});

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment, folder);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message.split('\n');
  }
  assert.fail('nothing was refused');
}

async function makeFolder(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'roster-config-'));
  t.after(() => rm(made, { recursive: true }));
  return made;
}
