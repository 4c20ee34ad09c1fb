// Bounds the connections of one address: each costs memory and a file, whatever is sent on it. Proxies stand for many
// clients and are not counted; they bound their own.
import type { Server, Socket } from 'node:net';
import { KeyedLimit } from '../concurrency/keyed-limit.ts';
import type { Config } from '../config/config.ts';
import { addressKey } from '../network/addresses.ts';
import { findProxies } from './proxies.ts';

export class Connections {
  readonly #open: KeyedLimit;
  readonly #isProxy: (address: string) => boolean;
  #refused = 0;

  constructor({ connectionsPerAddress, trustProxy }: Pick<Config, 'connectionsPerAddress' | 'trustProxy'>) {
    this.#open = new KeyedLimit(connectionsPerAddress);
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
    if (this.#open.take(key)) {
      socket.once('close', () => this.#open.giveBack(key));
      return;
    }
    this.#refused++;
    socket.destroy();
  }
}
