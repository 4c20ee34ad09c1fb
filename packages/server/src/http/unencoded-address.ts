// Requests whose address holds raw spaces or UTF-8 (`?query=josé doe`), as curl and old clients send them. Node's
// parser refuses them, so they are read here, encoded, and answered once; the connection is closed after that.
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, InjectOptions } from 'fastify';

const requestLine = /^([A-Z]+) (\/[^\r\n]*) HTTP\/1\.1$/;
const headerLine = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*?)[ \t]*$/;

/** What the parser says about a raw byte above 127, and about a space. */
export const unencodedAddressCodes: readonly (string | undefined)[] = ['HPE_INVALID_URL', 'HPE_INVALID_CONSTANT'];

interface ReadRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  payload: Buffer;
}

/** Undefined unless the packet is exactly one whole and otherwise plain request: guessing further is unsafe. */
export function readUnencoded(packet: Buffer): ReadRequest | undefined {
  const headEnd = packet.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = packet.toString('latin1', 0, headEnd).split('\r\n');
  const [, method, address] = requestLine.exec(first) ?? [];
  if (method === undefined || address === undefined) return undefined;

  const headers: IncomingHttpHeaders = {};
  for (const line of lines) {
    const [, name, value] = headerLine.exec(line) ?? [];
    if (name === undefined || name.toLowerCase() in headers) return undefined;
    headers[name.toLowerCase()] = value;
  }
  const payload = packet.subarray(headEnd + 4);
  const isWhole =
    headers['transfer-encoding'] === undefined && String(payload.length) === (headers['content-length'] ?? '0');
  if (!isWhole) return undefined;
  const url = address.replaceAll(/[^\x21-\x7e]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return { method, url, headers, payload };
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
