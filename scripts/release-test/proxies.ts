// The proxies of deploy/: Caddy and nginx of Debian with those very files, in front of the single executable. In a network
// and with mounts of their own, so that they find the ports, names and folders that the files mention.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install } from './bare-root.ts';

export const domain = 'contacts.example.com';
/** By the names of their services in deploy/postgres/compose.yaml. */
export const serverAddresses = { 'roster-1': '127.0.1.1', 'roster-2': '127.0.1.2' };

const prepare = `
ip link set lo up
mount --bind "$2/hosts" /etc/hosts
mount -t tmpfs none /var/log/nginx
mount -t tmpfs none /etc/ssl
exec "$0" "$1" "$2" "$3"
`;

export async function testProxies(executable: string, work: string): Promise<string> {
  for (const program of ['caddy', 'nginx', 'openssl']) install(program);
  install('ip', 'iproute2');
  const folder = join(work, 'proxies');
  mkdirSync(folder);
  const names = { localhost: '127.0.0.1', [domain]: '127.0.0.1', ...serverAddresses };
  const hosts = Object.entries(names).map(([name, address]) => `${address} ${name}\n`);
  writeFileSync(join(folder, 'hosts'), hosts.join(''));
  const script = join(import.meta.dirname, 'behind-proxies.ts');
  const child = spawn(
    'unshare',
    [
      '--mount',
      '--propagation',
      'private',
      '--net',
      'sh',
      '-ec',
      prepare,
      process.execPath,
      script,
      folder,
      executable,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`behind the proxies:\n${output}`);
  return output.trim();
}
