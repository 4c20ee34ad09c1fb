// Connections to receivers. One is made only to an address that was checked, and used only after the address that it really leads to
// was checked again, before a byte is sent: a name that resolves to another address a moment later does not pass.
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { Agent, type AgentOptions, type ClientRequestArgs } from 'node:http';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import { type AllowedNetworks, isPublicAddress } from '../network/public-addresses.ts';
import { prepareDnsLookup } from './name-lookup.ts';

/** The receiver is neither on the public internet nor allowed, and nothing was sent. */
export class PrivateAddressError extends Error {
  override name = 'PrivateAddressError';
}

export interface ConnectionSettings {
  /** Beside those of the public internet. Without TLS connections lead to these alone. */
  allowed: AllowedNetworks;
  /** Finds the addresses of names. Left out: by DNS, or as the system does where private addresses are allowed. */
  lookup?: LookupFunction | undefined;
  /** Certificates of authorities to trust. Left out: those that Node trusts. */
  ca?: SecureContextOptions['ca'];
}

/** As long as a whole exchange may take. */
const connectingMs = 10_000;
/** Idle connections to one receiver that are kept. A webhook has so many messages in flight. */
const idleConnectionsMax = 10;
/** Less than the 5 seconds after which servers of Node close one. Others wait longer. */
const idleMs = 4000;

const agentOptions: AgentOptions = { keepAlive: true, maxFreeSockets: idleConnectionsMax, timeout: idleMs };

/** As Node's types have it. With an error there is no socket. */
type OnConnected = (error: Error | null, socket: Duplex) => void;

export interface Connections {
  /** Keeps connections for the next message to the same receiver. */
  agentFor(protocol: string): Agent;
  /** A new connection, ready to be written to. */
  connect(options: ClientRequestArgs, onConnected: OnConnected): undefined;
  close(): void;
}

export function prepareConnections({ allowed, lookup, ca }: ConnectionSettings): Connections {
  // Names of a private network may be known to the system alone.
  const settings = { allowed, lookup: lookup ?? (allowed.isEmpty ? prepareDnsLookup() : systemLookup), ca };
  const plain = new CheckingAgent('http:', settings);
  const secure = new CheckingAgent('https:', settings);
  return {
    agentFor: (protocol) => (protocol === 'https:' ? secure : plain),
    connect: (options, onConnected) => connectTo(settings, options, onConnected),
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

type Settings = ConnectionSettings & { lookup: LookupFunction };

class CheckingAgent extends Agent {
  /** Compared by Node with that of the request. */
  readonly protocol: string;
  readonly #settings: Settings;

  constructor(protocol: string, settings: Settings) {
    super(agentOptions);
    this.protocol = protocol;
    this.#settings = settings;
  }

  override createConnection(options: ClientRequestArgs, onConnected: OnConnected): undefined {
    connectTo(this.#settings, { ...options, protocol: this.protocol }, onConnected);
  }
}

/** Calls back once. No socket is handed over before it is connected, checked and, for https, encrypted. */
function connectTo(settings: Settings, options: ClientRequestArgs, onConnected: OnConnected): undefined {
  const { allowed, lookup, ca } = settings;
  const host = (options.host ?? '').replace(/^\[(.*)\]$/, '$1');
  const fail = onConnected as (error: Error) => void;
  const isSecure = options.protocol === 'https:';
  const isAllowed = (address: string) => (isSecure && isPublicAddress(address)) || allowed.has(address);
  // A literal address is not looked up.
  if (isIP(host) !== 0 && !isAllowed(host)) {
    fail(new PrivateAddressError());
    return;
  }
  const socket = connect({ host, port: Number(options.port), noDelay: true, lookup: checkedLookup(lookup, isAllowed) });
  let current: Socket = socket;
  // The request that wants the connection may have been given up meanwhile.
  const timer = setTimeout(() => current.destroy(new Error('not connected in time')), connectingMs).unref();
  const finish = (error: Error | null) => {
    clearTimeout(timer);
    current.off('error', finish);
    if (error === null) onConnected(null, current);
    else fail(error);
  };
  socket.once('error', finish);
  socket.once('connect', () => {
    if (!isAllowed(socket.remoteAddress ?? '')) {
      socket.destroy(new PrivateAddressError());
      return;
    }
    if (!isSecure) {
      finish(null);
      return;
    }
    socket.off('error', finish);
    // The encrypted one reports its errors.
    socket.on('error', () => {});
    const servername = isIP(host) === 0 ? host : '';
    const encrypted = connectTls({ socket, ca, host, servername, ALPNProtocols: ['http/1.1'] });
    current = encrypted;
    encrypted.once('error', finish);
    encrypted.once('secureConnect', () => finish(null));
  });
}

/** Answers with the allowed addresses of a name alone. */
function checkedLookup(lookup: LookupFunction, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const allowed = (found as LookupAddress[]).filter(({ address }) => isAllowed(address));
      const [first] = allowed;
      if (first === undefined) callback(new PrivateAddressError(), []);
      else if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}
