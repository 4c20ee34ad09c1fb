// A client that sends bytes as they are, for what `fetch` would mend or refuse. Waits for events, never for time:
// each wait has a deadline, and missing it fails the test.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  status: number;
  /** By lower-case name. */
  headers: Record<string, string>;
  body: string;
}

/** Generous, for machines under load: only a test that fails waits for so long. */
const defaultDeadlineMs = 300_000;

export class RawClient {
  readonly #socket: Socket;
  /** What came and was not read. */
  #received = '';
  #isClosed = false;
  #errorCode: string | undefined;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('data', (text) => {
      this.#received += text;
      this.#wake();
    });
    socket.on('close', () => {
      this.#isClosed = true;
      this.#wake();
    });
    // A reset is a way of closing; most tests ask for what was received.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.#errorCode = code;
    });
  }

  /** With `allowHalfOpen` it may go on sending when the server has ended its side. */
  static async open(url: string, { allowHalfOpen = false } = {}): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  write(bytes: string | Uint8Array): void {
    if (!this.#isClosed) this.#socket.write(bytes);
  }

  /** The next answer. A `HEAD` is answered without the body that its headers announce. */
  async answer({ deadlineMs = defaultDeadlineMs, isHead = false } = {}): Promise<RawAnswer> {
    return this.#until('an answer', deadlineMs, () => this.#takeAnswer(isHead));
  }

  /** Waits until the connection is closed, and returns what came and was not read. */
  async closed(deadlineMs = defaultDeadlineMs): Promise<string> {
    await this.#until('the end of the connection', deadlineMs, () => this.#isClosed || undefined);
    return this.#received;
  }

  pauseReading(): void {
    this.#socket.pause();
  }

  /** Reads on until the connection is closed, and tells by which error. Undefined: by none. */
  async readToEnd(): Promise<string | undefined> {
    this.#socket.resume();
    await this.closed();
    return this.#errorCode;
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #takeAnswer(isHead: boolean): RawAnswer | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd < 0) return undefined;
    const [statusLine = '', ...lines] = this.#received.slice(0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1]);
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = isHead || status === 204 || status < 200 ? 0 : Number(headers['content-length'] ?? 0);
    const bodyStart = headEnd + 4;
    const end = bodyStart + length;
    if (this.#received.length < end) return undefined;
    const body = Buffer.from(this.#received.slice(bodyStart, end), 'latin1').toString('utf8');
    this.#received = this.#received.slice(end);
    return { status, headers, body };
  }

  #until<Value>(what: string, deadlineMs: number, look: () => Value | undefined): Promise<Value> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        this.#wake = () => {};
        finish();
      };
      const timer = setTimeout(() => {
        settle(() => reject(new Error(`waited ${deadlineMs} ms for ${what}; received: ${this.#received}`)));
      }, deadlineMs);
      this.#wake = () => {
        const value = look();
        if (value !== undefined) settle(() => resolve(value));
        else if (this.#isClosed) settle(() => reject(new Error(`closed before ${what}; received: ${this.#received}`)));
      };
      this.#wake();
    });
  }
}

/** Sends bytes on a connection of their own and returns the first answer. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const client = await RawClient.open(url);
  try {
    client.write(bytes);
    return await client.answer({ isHead: typeof bytes === 'string' && bytes.startsWith('HEAD ') });
  } finally {
    client.destroy();
  }
}

/** A request line and headers, with a Host and the end of the head. */
export function head(requestLine: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ Host: 'roster.test', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${requestLine} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
