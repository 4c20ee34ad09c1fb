// Requests whose address holds raw spaces or UTF-8 (`?query=josé doe`), as curl and old clients send them. Node's
// parser refuses them, so they are read here, encoded, and answered once; the connection is closed after that.
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, InjectOptions } from 'fastify';

const requestLine = /^([A-Z]+) (\/[^\r\n]*) HTTP\/1\.1$/;
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What the parser says about a raw byte above 127, and about a space. */
const unencodedAddressCodes: readonly string[] = ['HPE_INVALID_URL', 'HPE_INVALID_CONSTANT'];

/** The same as Node's own limit, which such a request has not passed. */
const headBytesMax = 16 * 1024;

interface ReadRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  payload: Buffer;
}

export interface ParserError {
  code?: string;
  /** The last bytes that came, and how far into them the parser got. */
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/** Undefined unless the packet is exactly one whole and otherwise plain request: guessing further is unsafe. */
export function readUnencoded({ code = '', rawPacket, bytesParsed = 0 }: ParserError): ReadRequest | undefined {
  if (!unencodedAddressCodes.includes(code) || rawPacket === undefined) return undefined;
  const headEnd = rawPacket.indexOf('\r\n\r\n');
  if (headEnd < 0 || headEnd > headBytesMax) return undefined;
  const [first = '', ...lines] = rawPacket.toString('latin1', 0, headEnd).split('\r\n');
  const [, method, address] = requestLine.exec(first) ?? [];
  // Had an earlier packet begun an address, this one would only go on with it: the parser stops at the first slash.
  if (method === undefined || address === undefined || bytesParsed <= method.length + 1) return undefined;

  const headers = readHeaders(lines);
  const payload = rawPacket.subarray(headEnd + 4);
  if (headers === undefined || headers['transfer-encoding'] !== undefined) return undefined;
  if (String(payload.length) !== (headers['content-length'] ?? '0')) return undefined;
  const url = address.replaceAll(/[^\x21-\x7e]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return { method, url, headers, payload };
}

/** Undefined when a line is not plain, or a name comes twice. */
function readHeaders(lines: readonly string[]): IncomingHttpHeaders | undefined {
  const headers: IncomingHttpHeaders = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1);
    if (colon < 0 || !headerName.test(name) || !headerValue.test(value) || name in headers) return undefined;
    headers[name] = value.trim();
  }
  return headers;
}

export async function answerUnencoded(http: FastifyInstance, socket: Socket, request: ReadRequest): Promise<void> {
  const { statusCode, headers, rawPayload } = await http.inject({
    ...(request as ReadRequest & { method: NonNullable<InjectOptions['method']> }),
    remoteAddress: socket.remoteAddress ?? '',
  });
  const sent = { ...headers, connection: 'close' };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n`, 'latin1');
  socket.end(rawPayload);
}
