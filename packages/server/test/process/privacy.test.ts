// At the most talkative log level, nothing of what callers send reaches stdout or stderr.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import type { FirstRun } from '../../src/process/first-run.ts';
import { makeHome, startFirst } from './server-process.ts';
import { until } from './waiting.ts';

const canary = 'canary7f3a';

test('what callers send is never printed or logged, whatever comes of their requests', async (t) => {
  const home = await makeHome(t);
  const server = await startFirst(home, { env: { ROSTER_LOG_LEVEL: 'trace', ROSTER_BODY_LIMIT: '20000' } });
  const { firstRun, output } = server;
  const statuses = await sendCanaries(server.url, firstRun);
  const { id, token } = await issueToken(server.url, firstRun);
  const bot = `/v1/bots/${firstRun.botId}`;
  for (const [method, path] of [
    ['GET', `${bot}/auth/contact?token=${token}`],
    ['GET', `/widget.js?bot=${firstRun.botId}&token=${token}`],
    ['HEAD', `/widget.js?token=${token}`],
    ['GET', `/widget/${token}/widget.js?token=${token}`],
    ['GET', `${bot}/contacts/${id}?${firstRun.secret}`],
    ['DELETE', `${bot}/auth/contacts/${token}x`],
    ['GET', `/${firstRun.secret}`],
    ['GET', `/${token}`],
    ['DELETE', `${bot}/auth/contacts/${token}`],
  ] as const) {
    const headers = { authorization: `Bearer ${path.includes('auth/contact?') ? token : firstRun.secret}` };
    statuses.add((await fetch(server.url + path, { method, headers })).status);
  }
  for (const raw of rawRequests(firstRun)) await sendRaw(server.url, raw);
  await abandonRequest(server.url, firstRun);
  await until('the abandoned request to be logged', () => output.stderr.includes('"status":499'));
  await server.stop();

  // The canaries went through success, refusal and failure alike, and the log was on.
  assert.deepEqual([...statuses].sort(), [200, 201, 204, 400, 401, 404, 405, 413, 415]);
  assert.ok((output.stderr.match(/"msg":"answered"/g) ?? []).length > 20);
  const printed = output.stdout.replaceAll(firstRun.secret, '') + output.stderr;
  const secrets = { canary, secret: firstRun.secret.slice(4), token: token.slice(2) };
  for (const [what, text] of Object.entries(secrets)) {
    const line = printed.split('\n').find((line) => line.toLowerCase().includes(text.toLowerCase()));
    assert.equal(line, undefined, `the ${what} is in the output`);
  }
  assert.ok(!output.stderr.includes(firstRun.botId), 'a bot id, and so a path, is in the log');
});

/** Sends the canary in every part of requests of every outcome. Returns the statuses seen. */
async function sendCanaries(url: string, { botId, secret }: FirstRun): Promise<Set<number>> {
  const bot = `/v1/bots/${botId}`;
  const jane = { name: `Jane ${canary}`, email: `${canary}@example.com`, phone: canary, mid: canary, [canary]: canary };
  const calls: [method: string, path: string, body?: unknown, headers?: Record<string, string>][] = [
    ['PUT', `${bot}/contacts`, jane],
    ['PUT', `${bot}/contacts`, jane],
    ['PUT', `${bot}/contacts?${canary}=${canary}`, { ...jane, email: canary, wid: canary, name: null }],
    ['PUT', `${bot}/contacts`, `{"name": "${canary}", ${canary}}`],
    ['PUT', `${bot}/contacts`, { name: canary.repeat(3000) }],
    ['PUT', `${bot}/contacts`, jane, { 'content-type': `application/${canary}` }],
    ['PUT', `${bot}/contacts`, jane, { 'content-encoding': canary }],
    ['PATCH', `${bot}/contacts`, { data: [jane, { email: canary }] }],
    ['PATCH', `${bot}/contacts`, { data: [jane] }],
    ['POST', `${bot}/contacts?query=${canary}`, canary],
    ['GET', `${bot}/contacts?query=${canary}&page=${canary}`],
    ['GET', `${bot}/contacts/${canary}`],
    ['GET', `${bot}/export?after=${canary}`],
    ['POST', `${bot}/auth/contact`, new URLSearchParams({ email: `${canary}@example.com` })],
    ['POST', `${bot}/auth/contact`, new URLSearchParams({ id: canary })],
    ['DELETE', `${bot}/auth/contacts/${canary}`],
    ['GET', `${bot}/auth/contact`, undefined, { authorization: `Bearer c:${canary}` }],
    ['GET', `${bot}/contacts`, undefined, { authorization: `Bearer rst_${canary}` }],
    ['GET', `${bot}/contacts`, undefined, { authorization: canary, cookie: canary }],
    ['GET', `${bot}/widget`, undefined, { origin: `https://${canary}.example` }],
    ['GET', `/v1/bots/${canary}/contacts`],
    ['GET', `/${canary}?${canary}`],
    ['GET', `/%${canary}`],
    ['POST', `${bot}/export?${canary}`, canary],
    ['GET', '/readyz', undefined, { 'x-request-id': canary, 'user-agent': canary, 'x-forwarded-for': canary }],
  ];
  const statuses = new Set<number>();
  for (const [method, path, body, headers] of calls) {
    const isJson = body !== undefined && !(body instanceof URLSearchParams);
    const reply = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        referer: `https://${canary}.example`,
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(isJson && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(body instanceof URLSearchParams && { body }),
    });
    await reply.arrayBuffer();
    assert.ok(reply.status < 500, `${method} ${path}: ${reply.status}`);
    statuses.add(reply.status);
  }
  return statuses;
}

async function issueToken(url: string, { botId, secret }: FirstRun): Promise<{ id: string; token: string }> {
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: canary, email: `token.${canary}@example.com` });
  const created = await fetch(`${url}/v1/bots/${botId}/contacts`, { method: 'PUT', headers, body });
  const { id } = ((await created.json()) as { data: { id: string } }).data;
  const issued = await fetch(`${url}/v1/bots/${botId}/auth/contact`, { method: 'POST', headers, body });
  return { id, token: ((await issued.json()) as { token: string }).token };
}

/** What no HTTP client sends. */
function rawRequests({ botId, secret }: FirstRun): string[] {
  return [
    `${canary}\r\n\r\n`,
    `GET /${canary} HTTP/9.9\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\nBad Header ${secret}: ${canary}\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${canary.repeat(3000)}\r\n\r\n`,
    `PUT /v1/bots/${botId}/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nConnection: close\r\n` +
      `Transfer-Encoding: chunked\r\n\r\n${canary}\r\n\r\n`,
  ];
}

/** Resolves when the server has closed the connection. */
function sendRaw(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname, () => socket.write(text));
  socket.resume().on('error', () => {});
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Leaves in the middle of a body. */
async function abandonRequest(url: string, { botId, secret }: FirstRun): Promise<void> {
  const { hostname, port } = new URL(url);
  const head = `PUT /v1/bots/${botId}/contacts?${canary} HTTP/1.1\r\nHost: ${canary}\r\nAuthorization: Bearer ${secret}\r\nContent-Length: 1000\r\n\r\n`;
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve) => socket.write(`${head}{"name":"${canary}`, () => resolve()));
  // The server has read it when a later request is in flight beside it.
  await until('the request to be in flight', async () => {
    const reply = await fetch(`${url}/metrics`);
    return /^roster_http_requests_in_flight [2-9]/m.test(await reply.text());
  });
  socket.destroy();
}
