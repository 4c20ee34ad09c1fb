// Connections that send bytes as they are, and read every answer off them. It knows HTTP's framing of answers and
// nothing of the API.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface WireAnswer {
  status: number;
  /** By lower-case name. The values of a repeated header are joined by a line break. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

export interface Exchange {
  answers: WireAnswer[];
  /** What came and is not an answer, or not a whole one. */
  rest: Buffer;
  isClosed: boolean;
  /** From the last byte that was sent to the end of the last answer, or of the connection. */
  ms: number;
  isHanging: boolean;
}

export interface Expectation {
  /** Whether each request is a HEAD. There are as many answers, unless the server closes the connection. */
  heads: readonly boolean[];
  /** The request may be cut off: whoever gets no answer for this long ends the connection, which the server must too. */
  endsAfterMs?: number;
  /** An answer takes less, or the server hangs. */
  hangMs: () => number;
}

export class Connection {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  /** Of the answers so far and the one that has begun. */
  #wantedBytes = 0;
  #isClosed = false;
  #onChange = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#received.push(chunk);
      this.#onChange();
    });
    socket.on('close', () => {
      this.#isClosed = true;
      this.#onChange();
    });
    // A reset is a way of closing; what was received before it counts.
    socket.on('error', () => {});
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  exchange(bytes: Uint8Array, { heads, endsAfterMs, hangMs }: Expectation): Promise<Exchange> {
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    const startedMs = performance.now();
    let hangTimer: NodeJS.Timeout | undefined;
    let endTimer: NodeJS.Timeout | undefined;
    let lastMs = startedMs;
    const settle = (isHanging: boolean) => {
      clearTimeout(hangTimer);
      clearTimeout(endTimer);
      this.#onChange = () => {};
      const { answers, rest } = readAnswers(Buffer.concat(this.#received), heads);
      this.#received = [];
      this.#wantedBytes = 0;
      resolve({ answers, rest, isClosed: this.#isClosed, ms: lastMs - startedMs, isHanging });
    };
    const look = () => {
      lastMs = performance.now();
      if (this.#isClosed) settle(false);
      else if (endsAfterMs === undefined && this.#isWhole(heads)) settle(false);
    };
    const watchForHang = () => {
      const leftMs = hangMs() - (performance.now() - lastMs);
      if (leftMs <= 0) settle(true);
      else hangTimer = setTimeout(watchForHang, Math.max(leftMs, 10));
    };
    this.#onChange = look;
    if (this.#isClosed) {
      look();
      return promise;
    }
    this.#socket.write(bytes);
    if (endsAfterMs !== undefined) {
      endTimer = setTimeout(() => {
        lastMs = performance.now();
        this.#socket.end();
      }, endsAfterMs);
    }
    watchForHang();
    return promise;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Joins what has been received only when there may be enough of it. */
  #isWhole(heads: readonly boolean[]): boolean {
    const bytes = this.#received.reduce((sum, { length }) => sum + length, 0);
    if (bytes < this.#wantedBytes) return false;
    const received = Buffer.concat(this.#received);
    this.#received = [received];
    const { isWhole, wantedBytes } = readAnswers(received, heads);
    this.#wantedBytes = wantedBytes;
    return isWhole;
  }
}

/** Interim answers (100) are passed over. */
function readAnswers(bytes: Buffer, heads: readonly boolean[]) {
  const answers: WireAnswer[] = [];
  let at = 0;
  let wantedBytes = 0;
  while (answers.length < heads.length || at < bytes.length) {
    const headEnd = bytes.indexOf('\r\n\r\n', at);
    if (headEnd < 0) break;
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1]);
    if (Number.isNaN(status)) break;
    if (status < 200) {
      at = headEnd + 4;
      continue;
    }
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      headers.set(name, headers.has(name) ? `${headers.get(name)}\n${value}` : value);
    }
    // 431: the request was not read so far that its method is known.
    const isHead = heads[answers.length] === true && status !== 431;
    const hasBody = !isHead && status !== 204 && status !== 304;
    const length = hasBody ? Number(headers.get('content-length') ?? Number.NaN) : 0;
    const end = headEnd + 4 + length;
    wantedBytes = Number.isNaN(end) ? 0 : end;
    // Every answer with a body says how long it is; one that does not is left over.
    if (!(end <= bytes.length)) break;
    answers.push({ status, headers, body: bytes.subarray(headEnd + 4, end) });
    at = end;
  }
  return { answers, rest: bytes.subarray(at), isWhole: answers.length >= heads.length, wantedBytes };
}
