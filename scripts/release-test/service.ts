// A service that was installed: waits until it listens, uses it as the first pages of the docs do, and ends it.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** Ends a test that has failed already. */
const deadlineMs = 300_000;

export interface Service {
  url: string;
  /** Printed by the first start. */
  botId: string | undefined;
  secret: string | undefined;
  readyMs: number;
  memoryMb: number;
  /** All that it has printed so far, with its log. */
  output(): string;
  /** Resolves with the exit code. */
  stop(): Promise<number | null>;
}

export async function awaitService(child: ChildProcess, startedAtMs: number): Promise<Service> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk));
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  const listening = new Promise<string>((resolve) => {
    child.stdout?.on('data', () => {
      const [, url] = /Roster listens on (\S+)/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
  const url = await Promise.race([listening, exited.then(() => undefined)]);
  clearTimeout(timer);
  if (url === undefined) throw new Error(`the service ended before it listened:\n${output}`);
  const [, residentKb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return {
    url,
    botId: /bot_[a-z0-9]+/.exec(output)?.[0],
    secret: /rst_[A-Za-z0-9]+/.exec(output)?.[0],
    readyMs: Math.round(performance.now() - startedAtMs),
    memoryMb: Math.round((Number(residentKb) * 1024) / 1e6),
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      return code;
    },
  };
}

export interface Access {
  url: string;
  botId: string;
  secret: string;
}

/** The first contact, as the first start suggests it. */
export async function createContact({ url, botId, secret }: Access, name: string): Promise<void> {
  const answer = await fetch(`${url}/v1/bots/${botId}/contacts`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, email: `${name.toLowerCase()}@example.com` }),
  });
  assert.equal(answer.status, 201, await answer.text());
}

export async function findNames({ url, botId, secret }: Access): Promise<string[]> {
  const headers = { authorization: `Bearer ${secret}` };
  const answer = await fetch(`${url}/v1/bots/${botId}/contacts`, { headers });
  const { data } = (await answer.json()) as { data: { name: string }[] };
  return data.map(({ name }) => name).sort();
}

/** The console with its script, the widget, the API reference with its bundle, and the guide with its search index. */
export async function readPages(url: string): Promise<void> {
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    const text = await answer.text();
    assert.equal(answer.status, 200, `${path}: ${answer.status} ${text.slice(0, 200)}`);
    return text;
  };
  const page = await read('/console');
  const [, script] = /src="(console\/assets\/[^"]+\.js)"/.exec(page) ?? [];
  assert.ok(script, 'the console names its script');
  assert.ok((await read(`/${script}`)).length > 10_000);
  assert.match(await read('/widget.js'), /Roster/);
  assert.match(await read('/docs'), /Roster API reference/);
  assert.match(await read('/docs/reference.js'), /createApiReference/);
  const guide = await read('/docs/guide');
  assert.match(guide, /<title>Guide · Roster \d/);
  const [, index] = /data-index="([^"]+)"/.exec(guide) ?? [];
  assert.ok((await read(`/docs/${index}`)).length > 100_000, 'the search index');
  assert.match(await read('/docs/guide/operations/install'), /<h1[^>]*>Installing/);
}
