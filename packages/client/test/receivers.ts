// The receivers in examples/webhook-receivers, each in a process of its own on a loopback port.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { ensureProgram, php, python, until } from './harness.ts';

const examples = new URL('../../../examples/webhook-receivers/', import.meta.url);

interface Language {
  name: string;
  file: string;
  command(port: number): [program: string, ...args: string[]];
}

export const languages: readonly Language[] = [
  { name: 'Node', file: 'receiver.mjs', command: () => [process.execPath, 'receiver.mjs'] },
  { name: 'Python', file: 'receiver.py', command: () => [ensureProgram(python), 'receiver.py'] },
  {
    name: 'PHP',
    file: 'receiver.php',
    // Without a php.ini, as in PHP's container, errors are displayed.
    command: (port) => [ensureProgram(php), '-d', 'display_errors=1', '-S', `127.0.0.1:${port}`, 'receiver.php'],
  },
];

/** Another program may take a port between its choice and the start of the receiver. */
const startsMax = 5;

export interface Receiver {
  url: string;
  /** The database of the receiver, to look into its copy and to make it fail. */
  db: DatabaseSync;
  /** All that it has printed, to explain a failure. */
  printed(): string;
}

/** Starts the receiver below `home`, in whose node_modules a receiver finds the client. */
export async function startReceiver(
  t: Pick<TestContext, 'after'>,
  { name, file, command }: Language,
  { home, secret }: { home: string; secret: string },
): Promise<Receiver> {
  const folder = join(home, name.toLowerCase());
  await mkdir(folder, { recursive: true });
  // Where a receiver in Node finds the client.
  await copyFile(new URL(file, examples), join(folder, file));
  for (let start = 1; ; start++) {
    const port = await findPort();
    const [program, ...args] = command(port);
    const child = spawn(program, args, {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
    const ended = once(child, 'close');
    t.after(async () => {
      child.kill();
      await ended;
    });
    const url = `http://127.0.0.1:${port}/hooks/roster`;
    await until(`the receiver in ${name}: ${printed}`, async () => child.exitCode !== null || (await isAnswering(url)));
    if (child.exitCode === null) {
      const db = new DatabaseSync(join(folder, 'copy.db'), { timeout: 60_000 });
      t.after(() => db.close());
      return { url, db, printed: () => printed };
    }
    await ended;
    if (start === startsMax) throw new Error(`the receiver in ${name} does not start: ${printed}`);
  }
}

async function findPort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    // It does not listen yet.
    return false;
  }
}
