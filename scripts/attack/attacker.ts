// The process that attacks: sends one load over many connections until its time is over, and reports how it was answered. It is
// started by run.ts, and has a receiver for webhooks that never answers.
import { once } from 'node:events';
import { Agent, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type Load, type LoadRequest, loads, searchOfTwoCharacters } from './loads.ts';

export interface Attack {
  load: string;
  url: string;
  botId: string;
  otherBots: string[];
  secret: string;
  connections: number;
  seconds: number;
}

/** How often each status came. 0: the connection was closed. */
export type Answers = Record<number, number>;

// It stands for other machines, whose work is done elsewhere: the server and the other organization come first. The server is kept
// busy all the same, since it has a request of each connection.
setPriority(10);
const attack = JSON.parse(process.argv[2] as string) as Attack;
const load = loads.find(({ name }) => name === attack.load) as Load;
const connections = load.connections?.(attack.connections) ?? attack.connections;
const agent = new Agent({ keepAlive: true, maxSockets: connections + 2 });
const answers: Answers = {};
const besideEveryMs = 1000;
let webhookId = '';

const receiver = createServer(() => {}).listen(0, '127.0.0.1');
await once(receiver, 'listening');
const { path: firstPath } = load.request(0);
if (firstPath.includes('{webhookId}')) {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const made = await call({ method: 'POST', path: 'webhooks', body: Buffer.from(JSON.stringify({ url })) });
  webhookId = JSON.parse(made.text).data.id;
}

// The parent measures from here on.
process.send?.('ready');
const endMs = performance.now() + attack.seconds * 1000;
let count = 0;
const callers = Array.from({ length: connections }, async () => {
  while (performance.now() < endMs) await tally(load.request(count++));
});
callers.push(
  (async () => {
    for (let at = 0; performance.now() < endMs; at++) await tally(searchOfTwoCharacters(at));
  })(),
);
const { beside } = load;
if (beside !== undefined) {
  callers.push(
    (async () => {
      for (let at = 0; performance.now() < endMs; at++) {
        await tally(beside(at));
        await delay(besideEveryMs);
      }
    })(),
  );
}
// Whoever still waits for an answer then has had his time.
await Promise.race([Promise.all(callers), delay(attack.seconds * 1000 + 1000)]);
process.send?.(answers, () => process.exit(0));

async function tally(request: LoadRequest): Promise<void> {
  const status = await call(request).then(
    (answer) => answer.status,
    () => 0,
  );
  answers[status] = (answers[status] ?? 0) + 1;
}

async function call({ method, path, body, bot, isAnonymous }: LoadRequest): Promise<{ status: number; text: string }> {
  const botId = bot === undefined ? attack.botId : attack.otherBots[bot];
  const address = path.startsWith('/') ? path : `/v1/bots/${botId}/${path.replace('{webhookId}', webhookId)}`;
  const headers = {
    ...(!isAnonymous && { authorization: `Bearer ${attack.secret}` }),
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const sent = send(new URL(address, attack.url), { method, agent, headers }, (response) => {
    let text = '';
    response
      .on('data', (chunk: Buffer) => {
        if (text.length < 10_000) text += chunk;
      })
      .on('end', () => resolve({ status: response.statusCode ?? 0, text }))
      .on('error', reject);
  });
  sent.on('error', reject).end(body);
  return promise;
}
