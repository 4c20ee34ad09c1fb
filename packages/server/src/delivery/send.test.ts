// Sending a message: what a receiver gets, and what becomes of every kind of answer, and of none.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { suite, type TestContext, test } from 'node:test';
import { limits } from '@roster/contract';
import { Webhook } from 'standardwebhooks';
import { until } from '../../test/process/waiting.ts';
import { startReceiver } from '../../test/receiver.ts';
import { AllowedNetworks } from '../network/public-addresses.ts';
import { version } from '../version.ts';
import { isSuccess, type Outgoing, prepareSend, type SendSettings } from './send.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const message = { id: 'evt_a0b1', body: JSON.stringify({ type: 'webhook.test', name: 'Zoë' }) };

const loopback = new AllowedNetworks(['127.0.0.0/8']);

function prepare(t: TestContext, settings: Partial<SendSettings> = {}) {
  const { send, close } = prepareSend({ clock: () => Date.now(), allowed: loopback, ...settings });
  t.after(close);
  const to = (url: string): Outgoing => ({ url, secret, oldSecret: null, oldSecretUntilMs: null });
  return (url: string, signal?: AbortSignal) => send(to(url), message, signal);
}

/** A server that is not bound to HTTP: it does with each connection what the test wants. */
async function startRawServer(t: TestContext, onRequest: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', () => onRequest(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?key=hidden`;
}

suite('a message', () => {
  test('is a signed POST of JSON', async (t) => {
    const receiver = await startReceiver(t, (_, response, request) => {
      response.setHeader('x-method', `${request.method} ${request.url}`);
      return 200;
    });
    const result = await prepare(t)(`${receiver.url}?key=1`);
    assert.equal(result.statusCode, 200);
    assert.ok(isSuccess(result));
    const [{ headers, text }] = receiver.received as [(typeof receiver.received)[0]];
    assert.equal(text, message.body);
    assert.equal(headers['content-type'], 'application/json');
    assert.equal(headers['user-agent'], `Roster/${version}`);
    assert.equal(headers['webhook-id'], message.id);
    assert.deepEqual(new Webhook(secret).verify(text, headers as Record<string, string>), JSON.parse(message.body));
  });

  test('goes over the connection of the one before', async (t) => {
    const receiver = await startReceiver(t);
    const send = prepare(t);
    await send(receiver.url);
    await send(receiver.url);
    assert.equal(receiver.received.length, 2);
    assert.equal(receiver.connections(), 1);
  });

  test('is sent over a new connection when the receiver has closed the kept one meanwhile', async (t) => {
    let requests = 0;
    // Closes at the moment that a connection is used again, which no sender can see before.
    const seen = new WeakSet<Socket>();
    const url = await startRawServer(t, (socket) => {
      requests++;
      if (seen.has(socket)) socket.destroy();
      else socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      seen.add(socket);
    });
    const send = prepare(t);
    assert.equal((await send(url)).statusCode, 204);
    assert.equal((await send(url)).statusCode, 204);
    assert.equal(requests, 3);
  });
});

suite('an answer', () => {
  test('of 2xx alone is success', () => {
    for (const statusCode of [200, 201, 204, 299]) assert.equal(isSuccess({ statusCode }), true);
    for (const statusCode of [null, 100, 199, 300, 302, 400, 410, 429, 500])
      assert.equal(isSuccess({ statusCode }), false);
  });

  test('that redirects is not followed', async (t) => {
    const other = await startReceiver(t);
    const receiver = await startReceiver(t, (_, response) => {
      response.writeHead(307, { location: other.url }).end();
      return undefined;
    });
    const result = await prepare(t)(receiver.url);
    assert.equal(result.statusCode, 307);
    assert.equal(other.connections(), 0);
  });

  test('is kept up to 1,024 characters, and the rest is not read', async (t) => {
    const isClosed = Promise.withResolvers<void>();
    const receiver = await startReceiver(t, (_, response) => {
      response.writeHead(500);
      response.on('close', isClosed.resolve);
      const writeOn = () => {
        while (!response.destroyed && response.write('é😀'.repeat(10_000))) {}
      };
      response.on('drain', writeOn);
      writeOn();
      return undefined;
    });
    const { statusCode, response } = await prepare(t)(receiver.url);
    assert.equal(statusCode, 500);
    assert.equal(response, 'é😀'.repeat(limits.webhookResponseLength / 2));
    await isClosed.promise;
  });

  test('that is not text can be stored', async (t) => {
    const receiver = await startReceiver(t, (_, response) => {
      response.writeHead(200).end(Buffer.from([0x41, 0, 0x1b, 0xff, 0x0a, 0xc2, 0x85, 0x42, 0xe2, 0x82]));
      return undefined;
    });
    const { response } = await prepare(t)(receiver.url);
    assert.equal(response, 'A\ufffd\ufffd\ufffd\n\ufffdB');
  });

  test('may ask to wait', async (t) => {
    const receiver = await startReceiver(t, (_, response) => {
      response.setHeader('retry-after', '90');
      return 429;
    });
    assert.equal((await prepare(t)(receiver.url)).retryAfterMs, 90_000);
  });

  test('of a receiver that never ends its body counts by its status', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const url = await startRawServer(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      let written = 0;
      const timer = setInterval(() => {
        socket.write('1\r\nx\r\n');
        if (++written === 20) t.mock.timers.tick(1000);
      }, 5);
      socket.on('close', () => clearInterval(timer));
    });
    const result = await prepare(t, { timeoutMs: 1000 })(url);
    assert.equal(result.statusCode, 200);
    assert.match(result.response ?? '', /^x+$/);
  });
});

suite('no answer', () => {
  const failed = { statusCode: null, response: null, isPrivate: false, retryAfterMs: null };
  const reasonOf = async (sending: ReturnType<ReturnType<typeof prepare>>) => {
    const { durationMs, error, ...rest } = await sending;
    assert.ok(durationMs >= 0);
    assert.deepEqual(rest, failed);
    return error;
  };

  test('of a receiver that hangs', async (t) => {
    const url = await startRawServer(t, () => {});
    assert.equal(await reasonOf(prepare(t, { timeoutMs: 1000 })(url)), 'No response within 1 seconds');
  });

  test('of one whose headers come byte by byte', async (t) => {
    const url = await startRawServer(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx: ');
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    assert.equal(await reasonOf(prepare(t, { timeoutMs: 2000 })(url)), 'No response within 2 seconds');
  });

  test('of one that closes the connection', async (t) => {
    const url = await startRawServer(t, (socket) => socket.destroy());
    assert.equal(await reasonOf(prepare(t)(url)), 'The connection was closed without a response');
  });

  test('of one that does not speak HTTP', async (t) => {
    const url = await startRawServer(t, (socket) => socket.end('220 mail.example.com ESMTP\r\n'));
    assert.equal(await reasonOf(prepare(t)(url)), 'The response was not HTTP');
  });

  test('of one whose headers are too large', async (t) => {
    const url = await startRawServer(t, (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`));
    assert.equal(await reasonOf(prepare(t)(url)), 'The response was not HTTP');
  });

  test('of one that wants to speak something else', async (t) => {
    const url = await startRawServer(t, (socket) =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    );
    assert.equal(await reasonOf(prepare(t)(url)), 'The connection was closed without a response');
  });

  test('where nobody listens', async (t) => {
    assert.equal(await reasonOf(prepare(t)('http://127.0.0.1:1/hooks')), 'The connection was refused');
  });

  test('for a name that does not exist', async (t) => {
    const missing = Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'queryA' });
    const send = prepare(t, { lookup: (_hostname, _options, callback) => callback(missing, []) });
    assert.equal(await reasonOf(send('http://shop.example.com/')), 'The host name was not found');
  });
});

test('a message that is given up is not sent to its end, and says so to nobody', async (t) => {
  const ending = new AbortController();
  let isClosed = false;
  const url = await startRawServer(t, (socket) => {
    socket.on('close', () => {
      isClosed = true;
    });
    ending.abort(new Error('stopping'));
  });
  const send = prepare(t);
  await assert.rejects(send(url, ending.signal), /stopping/);
  await until('the connection to be closed', () => isClosed);
  await assert.rejects(send(url, ending.signal), /stopping/);
});
