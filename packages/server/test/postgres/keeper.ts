// A process that outlives the one that started a PostgreSQL server, however that one ends, SIGKILL included: then it
// ends the server and removes its folder, unless it is to be kept. It reads the server's process id from its
// input: a line at each start, and an empty one at each end, for then the id may become another's.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../process/waiting.ts';

const [, , folder, fate] = process.argv as [string, string, string, string?];
let pid = 0;
for await (const line of createInterface({ input: process.stdin })) pid = Number(line);
try {
  if (pid !== 0) {
    // SIGQUIT: end at once, children first. The last thing that it does is to remove its lock file.
    process.kill(pid, 'SIGQUIT');
    await until('PostgreSQL to end', () => !existsSync(join(folder, 'data', 'postmaster.pid')));
  }
} finally {
  // An initdb that lost its starter may still be writing.
  if (fate !== 'keep') rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
