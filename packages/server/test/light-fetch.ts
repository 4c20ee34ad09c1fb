// Requests of tests, over connections that are kept. fetch takes three times the CPU, which for thousands of requests is most of what they
// cost. Of what fetch sends it leaves out Accept, Accept-Encoding, Accept-Language, Sec-Fetch-Mode and User-Agent: tests of these set them
// themselves. It takes no answer that is compressed, and follows no redirect.
import { Agent, type IncomingMessage, request } from 'node:http';

export interface LightRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | Uint8Array | FormData | URLSearchParams | undefined;
}

export interface LightAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** Idle connections keep no process alive. They end with their server. */
const agent = new Agent({ keepAlive: true });

export async function lightFetch(url: string, { method, headers, body }: LightRequest): Promise<LightAnswer> {
  const { hostname, port, pathname, search } = new URL(url);
  const encoded = await encodeBody(body);
  const answered = Promise.withResolvers<LightAnswer>();
  const sent = request({
    agent,
    hostname,
    port,
    method,
    path: pathname + search,
    headers: {
      ...(encoded.type !== undefined && !hasContentType(headers) && { 'content-type': encoded.type }),
      // By itself, node:http sends the body of a DELETE without saying that there is one.
      ...(encoded.bytes !== undefined && { 'content-length': String(Buffer.byteLength(encoded.bytes)) }),
      ...headers,
    },
  });
  sent.on('response', (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      text += part;
    });
    response.on('end', () => {
      answered.resolve({ status: response.statusCode ?? 0, headers: headersOf(response), text });
    });
    response.on('error', answered.reject);
  });
  // A server may answer, and close, before it has read the whole request. The error that comes after the answer changes nothing.
  sent.on('error', answered.reject);
  sent.end(encoded.bytes);
  return answered.promise;
}

async function encodeBody(body: LightRequest['body']): Promise<{ bytes?: string | Uint8Array; type?: string }> {
  if (body === undefined) return {};
  if (body instanceof Uint8Array) return { bytes: body };
  if (typeof body === 'string') return { bytes: body, type: 'text/plain;charset=UTF-8' };
  const response = new Response(body);
  return { bytes: await response.bytes(), type: response.headers.get('content-type') ?? '' };
}

const hasContentType = (headers: Record<string, string>) =>
  Object.keys(headers).some((name) => name.toLowerCase() === 'content-type');

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  return headers;
}
