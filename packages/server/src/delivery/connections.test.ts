// Where connections may lead: checked for literal addresses, for names, and on the connection itself; and the certificates of receivers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo, LookupFunction, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, type TestContext, test } from 'node:test';
import { startReceiver } from '../../test/receiver.ts';
import { AllowedNetworks } from '../network/public-addresses.ts';
import { prepareDnsLookup } from './name-lookup.ts';
import { prepareSend, type SendSettings } from './send.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

const none = new AllowedNetworks([]);
const loopback = new AllowedNetworks(['127.0.0.0/8']);

function prepare(t: TestContext, settings: Partial<SendSettings>) {
  const { send, close } = prepareSend({ clock: () => Date.now(), allowed: none, ...settings });
  t.after(close);
  return (url: string) =>
    send({ url, secret, oldSecret: null, oldSecretUntilMs: null }, { id: 'evt_a0b1', body: '{}' });
}

const folder = mkdtempSync(join(tmpdir(), 'roster-receivers-'));
after(() => rmSync(folder, { recursive: true }));

/** With a certificate that it signed itself, for `hooks.test` and 127.0.0.1. */
async function startSecureReceiver(t: TestContext, days = 2) {
  const names = ['-subj', '/CN=hooks.test', '-addext', 'subjectAltName=DNS:hooks.test,IP:127.0.0.1'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', String(days)];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', 'key.pem', '-out', 'cert.pem'], {
    cwd: folder,
    stdio: 'pipe',
  });
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name))) as [Buffer, Buffer];
  let connections = 0;
  let requests = 0;
  const server = createServer({ key, cert }, (request, response) => {
    requests++;
    request.resume();
    response.writeHead(204).end();
  });
  const bytes = Promise.withResolvers<number>();
  server.on('connection', (socket: Socket) => {
    connections++;
    socket.on('close', () => bytes.resolve(socket.bytesRead));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, cert, connections: () => connections, requests: () => requests, firstBytes: bytes.promise };
}

const answering =
  (...addresses: string[]): LookupFunction =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const refused = 'The address is not public';
/** Counts as public, and belongs to nobody. */
const silentAddress = '192.0.1.1';

suite('nothing is connected to', () => {
  test('at a literal address that is not public, in any spelling', async (t) => {
    const receiver = await startSecureReceiver(t);
    const send = prepare(t, {});
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.1',
      '0.0.0.0',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::]',
    ]) {
      assert.equal((await send(`https://${host}:${receiver.port}/`)).error, refused, host);
    }
    assert.equal(receiver.connections(), 0);
  });

  test('without TLS', async (t) => {
    const receiver = await startReceiver(t);
    assert.equal((await prepare(t, { lookup: answering('127.0.0.1') })(receiver.url)).error, refused);
    assert.equal((await prepare(t, {})(`http://${silentAddress}/`)).error, refused);
    assert.equal(receiver.connections(), 0);
  });

  test('at a name that leads to this machine or a private network', async (t) => {
    const receiver = await startSecureReceiver(t);
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254', '64:ff9b::7f00:1']) {
      const send = prepare(t, { lookup: answering(address) });
      assert.equal((await send(`https://hooks.test:${receiver.port}/`)).error, refused, address);
    }
    assert.equal((await prepare(t, { lookup: answering('127.0.0.1', '::1') })('https://hooks.test/')).error, refused);
    assert.equal(receiver.connections(), 0);
  });

  test('at a name that leads elsewhere when it is asked for again', async (t) => {
    const receiver = await startSecureReceiver(t);
    let lookups = 0;
    const lookup: LookupFunction = (...args) => answering(lookups++ === 0 ? silentAddress : '127.0.0.1')(...args);
    const send = prepare(t, { lookup, timeoutMs: 200 });
    assert.notEqual((await send(`https://hooks.test:${receiver.port}/`)).error, refused);
    assert.equal((await send(`https://hooks.test:${receiver.port}/`)).error, refused);
    assert.equal(lookups, 2);
    assert.equal(receiver.connections(), 0);
  });
});

suite('where some networks are allowed', () => {
  test('their addresses are connected to, by name too, and without TLS', async (t) => {
    const receiver = await startReceiver(t);
    const send = prepare(t, { allowed: loopback, lookup: answering('10.0.0.1', '127.0.0.1') });
    assert.equal((await send(receiver.url)).error, null);
    assert.equal((await send(receiver.url.replace('127.0.0.1', 'hooks.test'))).error, null);
  });

  test('no other private address is, and no public one without TLS', async (t) => {
    const elsewhere = new AllowedNetworks(['10.0.0.0/8', '169.254.0.0/16']);
    const receiver = await startReceiver(t);
    assert.equal((await prepare(t, { allowed: elsewhere })(receiver.url)).error, refused);
    for (const address of ['127.0.0.1', '169.254.169.254', silentAddress]) {
      const send = prepare(t, { allowed: elsewhere, lookup: answering(address) });
      assert.equal((await send('http://hooks.test/')).error, refused, address);
    }
    assert.equal(receiver.connections(), 0);
  });

  test('an answer from there says so', async (t) => {
    const receiver = await startReceiver(t, (_, response) => {
      response.writeHead(500).end('the state of the cluster');
      return undefined;
    });
    const { statusCode, response, isPrivate } = await prepare(t, { allowed: loopback })(receiver.url);
    assert.deepEqual([statusCode, response, isPrivate], [500, 'the state of the cluster', true]);
  });
});

test('nothing is sent over a connection that leads elsewhere than what was checked', async (t) => {
  const receiver = await startSecureReceiver(t);
  let reads = 0;
  // Public when it is checked, and this machine when it is connected to.
  const changing = {
    family: 4,
    get address() {
      return reads++ === 0 ? silentAddress : '127.0.0.1';
    },
  };
  const send = prepare(t, { ca: receiver.cert, lookup: (_hostname, _options, callback) => callback(null, [changing]) });
  assert.equal((await send(`https://hooks.test:${receiver.port}/`)).error, refused);
  assert.ok(reads > 1);
  assert.equal(await receiver.firstBytes, 0);
});

test('of the addresses of a name, those that are public are used', async (t) => {
  const tried: string[] = [];
  const lookup: LookupFunction = (_hostname, _options, callback) => {
    const watched = (address: string) => ({
      family: 4,
      get address() {
        tried.push(address);
        return address;
      },
    });
    callback(null, [watched('10.0.0.1'), watched(silentAddress)]);
  };
  const { error } = await prepare(t, { lookup, timeoutMs: 200 })('https://hooks.test:1/');
  assert.notEqual(error, refused);
  assert.equal(tried.filter((address) => address === '10.0.0.1').length, 1, 'more than checked');
  assert.ok(tried.filter((address) => address === silentAddress).length > 1);
});

suite('a certificate', () => {
  test('that is trusted and for this name is accepted', async (t) => {
    const { port, cert, connections } = await startSecureReceiver(t);
    const send = prepare(t, { ca: cert, allowed: loopback, lookup: answering('127.0.0.1') });
    assert.equal((await send(`https://hooks.test:${port}/`)).statusCode, 204);
    assert.equal((await send(`https://hooks.test:${port}/`)).statusCode, 204);
    assert.equal(connections(), 1);
    assert.equal((await send(`https://127.0.0.1:${port}/`)).statusCode, 204);
  });

  test('that nobody vouches for is refused, private addresses allowed or not', async (t) => {
    const { port, requests } = await startSecureReceiver(t);
    const send = prepare(t, { allowed: loopback });
    assert.equal((await send(`https://127.0.0.1:${port}/`)).error, 'The certificate is not valid');
    assert.equal(requests(), 0);
  });

  test('for another name is refused', async (t) => {
    const { port, cert, requests } = await startSecureReceiver(t);
    const send = prepare(t, { ca: cert, allowed: loopback, lookup: answering('127.0.0.1') });
    assert.equal((await send(`https://other.test:${port}/`)).error, 'The certificate is not valid');
    assert.equal(requests(), 0);
  });

  test('is asked for: a receiver without TLS is none', async (t) => {
    const receiver = await startReceiver(t);
    const { error } = await prepare(t, { allowed: loopback })(receiver.url.replace('http:', 'https:'));
    assert.equal(error, 'The TLS handshake failed');
  });
});

suite('DNS', () => {
  const resolver = (ofFour: string[] | Error, ofSix: string[] | Error) => ({
    resolve4: async () => (ofFour instanceof Error ? Promise.reject(ofFour) : ofFour),
    resolve6: async () => (ofSix instanceof Error ? Promise.reject(ofSix) : ofSix),
  });
  const find = (...answers: Parameters<typeof resolver>) =>
    new Promise((resolve, reject) =>
      prepareDnsLookup(resolver(...answers) as never)('hooks.test', {}, (error, found) =>
        error === null ? resolve(found) : reject(error),
      ),
    );
  const missing = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' });

  test('finds the addresses of both kinds', async () => {
    assert.deepEqual(await find(['8.8.8.8'], ['2606:4700::1111']), [
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    assert.deepEqual(await find(missing, ['2606:4700::1111']), [{ address: '2606:4700::1111', family: 6 }]);
  });

  test('fails for a name without addresses', async () => {
    await assert.rejects(find(missing, missing), /ENOTFOUND/);
    await assert.rejects(find([], missing), /no addresses/);
  });
});
