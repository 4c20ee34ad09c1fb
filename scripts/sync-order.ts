// Shows with strace that a create is answered only after the WAL that contains it was synced to disk.
// Run it on Linux: node scripts/sync-order.ts [--requests 5]
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callFirstBot, makeHome, startFirst } from '../packages/server/test/process/server-process.ts';
import { until } from '../packages/server/test/process/waiting.ts';

const { values: options } = parseArgs({ options: { requests: { type: 'string', default: '5' } } });

if (spawnSync('strace', ['-V']).status !== 0) {
  console.error('This needs strace. Install it (Debian: apt-get install strace).');
  process.exit(1);
}

const cleanUps: (() => unknown)[] = [];
const home = await makeHome({ after: (cleanUp) => cleanUps.push(cleanUp as () => unknown) });
try {
  const server = await startFirst(home);
  const tracePath = join(home.folder, 'trace');
  const strace = await attach(server.pid, tracePath);
  for (let number = 1; number <= Number(options.requests); number++) {
    const body = { name: 'Jane', email: `jane${number}@example.com` };
    const reply = await callFirstBot(server.url, server.firstRun, 'PUT', 'contacts', body);
    if (reply.status !== 201) throw new Error(`the create was answered ${reply.status}`);
    await reply.arrayBuffer();
  }
  strace.kill('SIGINT');
  await once(strace, 'close');
  await server.stop();
  const lines = (await readFile(tracePath, 'utf8')).split('\n');
  process.exitCode = judge(lines, Number(options.requests)) ? 0 : 1;
} finally {
  for (const cleanUp of cleanUps) await cleanUp();
}

async function attach(pid: number, tracePath: string): Promise<ChildProcess> {
  const calls = 'trace=read,write,writev,sendto,sendmsg,pwrite64,fsync,fdatasync';
  const args = ['-f', '-yy', '-s', '24', '-tt', '-e', calls, '-o', tracePath, '-p', String(pid)];
  const strace = spawn('strace', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  strace.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await until('strace to attach', () => {
    if (strace.exitCode !== null) throw new Error(`strace ended: ${output}`);
    return /attached/.test(output);
  });
  return strace;
}

/** Between each request and its response: the last write to the WAL, then a successful sync of it. */
function judge(lines: string[], requests: number): boolean {
  let isRight = true;
  let judged = 0;
  let from = 0;
  for (;;) {
    const begin = lines.findIndex((line, index) => index >= from && line.includes('"PUT /v1/bots/'));
    const end = lines.findIndex((line, index) => index > begin && line.includes('"HTTP/1.1 201'));
    if (begin === -1 || end === -1) break;
    from = end + 1;
    const relevant = lines.slice(begin, end + 1).filter((line, index, { length }) => {
      return index === 0 || index === length - 1 || /roster\.db/.test(line) || /f(data)?sync resumed/.test(line);
    });
    const lastWrite = relevant.findLastIndex((line) => /pwrite64\(.*roster\.db-wal/.test(line));
    const isSynced = lastWrite !== -1 && isSyncDone(relevant.slice(lastWrite + 1));
    isRight &&= isSynced;
    judged++;
    console.log(`create ${judged}:`);
    for (const line of relevant) console.log(`  ${line}`);
    console.log(isSynced ? '  → synced, then answered\n' : '  → NOT SYNCED BEFORE THE ANSWER\n');
  }
  if (judged !== requests) console.log(`only ${judged} of ${requests} creates were seen`);
  const isProven = isRight && judged === requests;
  console.log(isProven ? `all ${judged} creates were synced before they were answered` : 'NOT PROVEN');
  return isProven;
}

/** strace splits a call into two lines of the same thread when another thread makes a call in between. */
function isSyncDone(lines: string[]): boolean {
  if (lines.some((line) => /f(data)?sync\(.*roster\.db-wal>?\) += 0/.test(line))) return true;
  const begun = lines.find((line) => /f(data)?sync\(.*roster\.db-wal.*unfinished/.test(line));
  const thread = begun?.split(' ', 1)[0];
  return lines.some((line) => line.startsWith(`${thread} `) && /f(data)?sync resumed.*\) += 0/.test(line));
}
