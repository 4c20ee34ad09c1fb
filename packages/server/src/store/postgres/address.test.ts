// DATABASE_URL: what is understood of it, and what is said of one that cannot be used.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { StoreOpenError } from '../store.ts';
import { parseAddress } from './address.ts';

const password = 'pa:ss@w/o?r#d%é';
const encoded = encodeURIComponent(password);

suite('DATABASE_URL', () => {
  test('has user, password, host, port and database, each with odd characters percent-encoded', () => {
    const [host, ...others] = parseAddress(`postgres://jane%40x:${encoded}@127.0.0.1:6543/my%20roster`);
    assert.deepEqual(others, []);
    assert.equal(host?.user, 'jane@x');
    assert.equal(host?.password, password);
    assert.equal(host?.host, '127.0.0.1');
    assert.equal(host?.port, 6543);
    assert.equal(host?.database, 'my roster');
    assert.equal(host?.ssl, undefined);
  });

  test('may name several hosts, which share all else', () => {
    const url = `postgresql://u:${encoded}@10.0.0.1:5433,db.example.com,[2001:db8::1]:6543/roster?sslmode=require`;
    const hosts = parseAddress(url);
    assert.deepEqual(
      hosts.map(({ host, port }) => [host, port]),
      [
        ['10.0.0.1', 5433],
        ['db.example.com', undefined],
        ['2001:db8::1', 6543],
      ],
    );
    for (const host of hosts) {
      assert.deepEqual([host.user, host.password, host.database], ['u', password, 'roster']);
      assert.deepEqual({ ...(host.ssl as object) }, { rejectUnauthorized: false });
    }
  });

  test('may leave the choice of the primary to libpq: it is always looked for', () => {
    for (const host of parseAddress('postgres://a@127.0.0.1,127.0.0.2/roster?target_session_attrs=read-write')) {
      assert.ok(!('target_session_attrs' in host));
    }
  });

  test('tells of a pooler by transaction, and of no other kind but by session', () => {
    const isByTransaction = (parameter: string) =>
      parseAddress(`postgres://u@127.0.0.1/roster${parameter}`).map((host) => host.isPooledByTransaction);
    assert.deepEqual(isByTransaction(''), [false]);
    assert.deepEqual(isByTransaction('?pool_mode=session'), [false]);
    assert.deepEqual(isByTransaction('?pool_mode=transaction'), [true]);
    assert.throws(() => isByTransaction('?pool_mode=statement'), /pool_mode must be session or transaction/);
  });

  for (const url of [
    'postgres://u:p@127.0.0.1/roster',
    'postgres://u:p@127.9.9.9/roster',
    'postgres://u:p@localhost/roster',
    'postgres://u:p@[::1]:5432/roster',
    'postgres://u:p@%2Fvar%2Frun%2Fpostgresql/roster',
    'postgres:///roster?host=/var/run/postgresql',
    'postgres://u:p@/roster',
  ]) {
    test(`of the same machine need not mention encryption: ${url}`, () => {
      assert.equal(parseAddress(url).length, 1);
    });
  }

  test('reaches a Unix socket by its folder', () => {
    for (const url of [
      'postgres://u@%2Fvar%2Frun%2Fpg:5433/roster',
      'postgres://u@/roster?host=/var/run/pg&port=5433',
    ]) {
      const [host] = parseAddress(url);
      assert.deepEqual([host?.host, host?.port, host?.database], ['/var/run/pg', 5433, 'roster']);
    }
  });

  for (const host of [
    'db.example.com',
    '10.0.0.1',
    '[2001:db8::1]',
    '127.0.0.1,db.example.com',
    'localhost.example.com',
  ]) {
    test(`of another machine must say how safe the way to it is: ${host}`, () => {
      assertRefused(`postgres://u:${encoded}@${host}/roster`, /names another machine .*sslmode=verify-full/);
      for (const mode of ['disable', 'require', 'verify-full']) {
        parseAddress(`postgres://u:${encoded}@${host}/roster?sslmode=${mode}`);
      }
    });
  }

  test('of another machine may not hide in a parameter', () => {
    assertRefused(`postgres://u:${encoded}@/roster?host=db.example.com`, /names another machine \(db\.example\.com\)/);
  });

  for (const mode of ['prefer', 'allow', 'no-verify', 'VERIFY-FULL', '', '1']) {
    test(`does not take sslmode=${mode}: it promises less than it seems to, or nothing`, () => {
      for (const host of ['127.0.0.1', 'db.example.com']) {
        assertRefused(`postgres://u:${encoded}@${host}/roster?sslmode=${mode}`, /sslmode/);
      }
    });
  }

  test('with sslmode=disable is not encrypted, with require encrypted, with verify-full checked', () => {
    const ssl = (mode: string) => parseAddress(`postgres://u:p@db.example.com/roster?sslmode=${mode}`)[0]?.ssl;
    assert.equal(ssl('disable'), false);
    assert.deepEqual({ ...(ssl('require') as object) }, { rejectUnauthorized: false });
    assert.deepEqual({ ...(ssl('verify-full') as object) }, {}, 'as Node checks by default');
  });

  test('names a certificate file that cannot be read', () => {
    assertRefused(
      `postgres://u:${encoded}@db/roster?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`,
      /cannot read \/nowhere\/ca\.pem \(ENOENT\)/,
    );
  });

  test('with sslmode=verify-ca needs the authority', () => {
    assertRefused(`postgres://u:${encoded}@db/roster?sslmode=verify-ca`, /verify-ca, which also needs sslrootcert/);
  });

  for (const odd of ['/', '?', '#', '#@', '@/', '1/', '1?', '1#', '%zz', ' ']) {
    test(`with an unencoded ${odd} in the password is refused, and no part of it is shown`, () => {
      assertRefused(`postgres://u:${odd}canary@127.0.0.1/roster`, /ambiguous.*%2F/);
    });
  }

  test('may have an @ in the password', () => {
    assert.equal(parseAddress('postgres://u:p@ss@127.0.0.1/roster')[0]?.password, 'p@ss');
  });

  for (const url of [
    `postgres://u:${encoded}@127.0.0.1:port/roster`,
    `postgres://u:${encoded}@127.0.0.1:99999/roster`,
    `postgres://u:${encoded}@[::1/roster`,
    `mysql://u:${encoded}@127.0.0.1/roster`,
    `u:${encoded}@127.0.0.1/roster`,
  ]) {
    test(`that is malformed is refused: ${url.replaceAll(encoded, '…')}`, () => assertRefused(url, /^DATABASE_URL /));
  }
});

function assertRefused(url: string, wanted: RegExp): void {
  assert.throws(
    () => parseAddress(url),
    (error) => {
      assertOneLine(error);
      assert.match((error as Error).message, wanted);
      return true;
    },
  );
}

function assertOneLine(error: unknown): void {
  assert.ok(error instanceof StoreOpenError, String(error));
  assert.doesNotMatch(error.message, /\n/);
  for (const secret of [password, encoded, 'pa:ss', 'canary'])
    assert.ok(!error.message.includes(secret), error.message);
}
