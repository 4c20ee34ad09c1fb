// Bounds the connections of one address: each costs memory and a file, whatever is sent on it. Proxies stand for many
// clients and are not counted; they bound their own.
import type { Server, Socket } from 'node:net';
import { addressKey } from '../account/addresses.ts';
import type { Config } from '../process/config.ts';
import { findProxies } from './proxies.ts';

export class Connections {
  readonly #perAddress: number;
  readonly #isProxy: (address: string) => boolean;
  readonly #counts = new Map<string, number>();
  #refused = 0;

  constructor({ connectionsPerAddress, trustProxy }: Pick<Config, 'connectionsPerAddress' | 'trustProxy'>) {
    this.#perAddress = connectionsPerAddress;
    this.#isProxy = findProxies(trustProxy);
  }

  get refused(): number {
    return this.#refused;
  }

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#admit(socket));
  }

  #admit(socket: Socket): void {
    const { remoteAddress } = socket;
    // A Unix socket has no address.
    if (remoteAddress === undefined || this.#isProxy(remoteAddress)) return;
    const key = addressKey(remoteAddress);
    const count = this.#counts.get(key) ?? 0;
    if (count >= this.#perAddress) {
      this.#refused++;
      socket.destroy();
      return;
    }
    this.#counts.set(key, count + 1);
    socket.once('close', () => {
      const left = (this.#counts.get(key) ?? 1) - 1;
      if (left === 0) this.#counts.delete(key);
      else this.#counts.set(key, left);
    });
  }
}
