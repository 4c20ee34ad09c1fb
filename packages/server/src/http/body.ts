// Reads request bodies: only for operations that take one, within a size each and a size together. A large one takes slots of its
// organization while it comes and is parsed.
import { anonymousCredentials, limits, type Media, mediaTypes, type Operation } from '@roster/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientKey } from '../network/addresses.ts';
import { type Access, organizationOf } from './access.ts';
import { ApiError, invalidRequest, unavailable } from './api-error.ts';
import { BodyBudget, type BodyShare } from './body-budget.ts';
import { type HeavyCalls, heavyBodyBytes } from './heavy-calls.ts';
import { parseLargeJson } from './large-json.ts';
import { operationOf } from './problem.ts';
import { readPairs } from './query-string.ts';
import type { TimeSlices } from './time-slices.ts';

type Body = NonNullable<Operation['body']>;

const mebibyte = 1024 * 1024;
/** What a parsed value takes besides its text: a member of an object, or an element of an array. */
const bytesPerValue = 64;

/** One parser for every media type: the operation says which it takes, and most operations take none. */
export function parseBodies(http: FastifyInstance, bytesMax: number, shares: BodyShares): void {
  const reader = new BodyReader(bytesMax, shares);
  // Fastify refuses a malformed type by itself, also for operations that ignore a body.
  http.addHook('onRequest', (request, _reply, next) => {
    const { headers } = request.raw;
    if (headers['content-type'] !== undefined && operationOf(request)?.body === undefined) {
      headers['content-type'] = 'application/octet-stream';
    }
    next();
  });
  http.removeAllContentTypeParsers();
  http.addContentTypeParser('*', async (request: FastifyRequest) => {
    const body = operationOf(request)?.body;
    return body === undefined ? undefined : reader.read(request, body);
  });
}

/** How organizations share what large bodies take. */
export interface BodyShares {
  largeBodies: HeavyCalls;
  timeSlices: TimeSlices;
}

class BodyReader {
  readonly #contactsBytesMax: number;
  readonly #shares: BodyShares;
  /** For callers without a credential, by address. They cannot use up what customers have. */
  readonly #anonymous = new BodyBudget({ totalBytes: 8 * mebibyte, bytesEach: mebibyte });
  /** For all others, by organization. */
  readonly #customers = new BodyBudget({ totalBytes: 256 * mebibyte, bytesEach: 128 * mebibyte });

  constructor(contactsBytesMax: number, shares: BodyShares) {
    this.#contactsBytesMax = contactsBytesMax;
    this.#shares = shares;
  }

  /** The parsed body; undefined when it is empty. */
  async read(request: FastifyRequest, body: Body): Promise<unknown> {
    const { headers } = request;
    const bytesMax = this.#bytesMaxOf(body, request.access);
    // The size is checked before the type, as far as it is known.
    if (Number(headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
    const contentType = headers['content-type'] ?? mediaTypes.json;
    const kind = body.media.find((kind) => contentType.split(';', 1)[0]?.trim().toLowerCase() === mediaTypes[kind]);
    const encoding = headers['content-encoding'] ?? 'identity';
    if (kind === undefined || encoding.toLowerCase() !== 'identity') throw unsupported(body.media);
    const share = this.#shareOf(request);
    try {
      const bytes = await this.#collect(request, bytesMax, share);
      const parsed = await this.#parse(request, { bytes, kind, body }, share);
      // What a large body was parsed into stays in memory until the request is answered.
      if (bytes.length > heavyBodyBytes && !request.answer.closed) request.answer.once('close', share.giveBack);
      else share.giveBack();
      return parsed;
    } catch (error) {
      share.giveBack();
      throw error;
    }
  }

  #parse(
    request: FastifyRequest,
    { bytes, kind, body }: { bytes: Buffer; kind: Media; body: Body },
    share: BodyShare,
  ): unknown {
    const { headers, access } = request;
    if (bytes.length === 0) return undefined;
    if (kind !== 'json' || bytes.length <= heavyBodyBytes)
      return parsers[kind](bytes, headers['content-type'] ?? '', body.numbers);
    const steps = parseLargeJson(bytes, {
      takesContacts: operationOf(request)?.errors?.includes('too_many_contacts') ?? false,
      onValues: (values) => takeOf(share, values * bytesPerValue),
    });
    return this.#shares.timeSlices.inSlices(organizationOf(access), steps);
  }

  #shareOf(request: FastifyRequest): BodyShare {
    const { access } = request;
    if (isAnonymous(access)) return this.#anonymous.share(clientKey(request));
    return this.#customers.share(organizationOf(access));
  }

  #bytesMaxOf({ holdsContacts }: Body, access: Access): number {
    if (holdsContacts) return this.#contactsBytesMax;
    const bytesMax = isAnonymous(access) ? limits.anonymousBodyBytes : limits.accountBodyBytes;
    return Math.min(bytesMax, this.#contactsBytesMax);
  }

  #collect(incoming: FastifyRequest, bytesMax: number, share: BodyShare): Promise<Buffer> {
    const { raw: request, headers } = incoming;
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      let isHeavy = false;
      const settle = (error: Error | undefined) => {
        request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
        if (error === undefined) resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
        else reject(error);
      };
      /** What is in the socket stays there until the organization has slots for it. */
      const waitForSlots = async () => {
        isHeavy = true;
        request.pause();
        try {
          await this.#shares.largeBodies.admitBody(incoming, Number(headers['content-length'] ?? bytesMax));
          request.resume();
        } catch (error) {
          settle(error as Error);
        }
      };
      const onData = (chunk: Buffer) => {
        length += chunk.length;
        chunks.push(chunk);
        try {
          if (length > bytesMax) throw tooLarge(bytesMax);
          takeOf(share, chunk.length);
          if (length > heavyBodyBytes && !isHeavy) waitForSlots();
        } catch (error) {
          settle(error as Error);
        }
      };
      const onEnd = () => settle(undefined);
      // The client is gone, so this answer is never read.
      const onClose = () => settle(invalidRequest([{ field: 'body', message: 'ended too early' }]));
      request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
    });
  }
}

/** The credential is checked before the body is read. */
function isAnonymous({ credential }: Access): boolean {
  return anonymousCredentials.includes(credential);
}

function takeOf(share: BodyShare, bytes: number): void {
  if (!share.take(bytes)) throw unavailable('too many large requests at once');
}

function tooLarge(bytesMax: number): ApiError {
  const detail = `The body must not exceed ${bytesMax} bytes. Send smaller requests.`;
  return new ApiError('body_too_large', detail, { headers: { connection: 'close' } });
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

const parsers: Record<Media, (bytes: Buffer, contentType: string, numbers: Body['numbers']) => unknown> = {
  json(bytes) {
    try {
      return JSON.parse(utf8.decode(bytes));
    } catch (error) {
      // The parser's own message quotes the body; what it quotes may be personal.
      const position = /at position \d+/.exec((error as Error).message)?.[0];
      throw new ApiError('invalid_json', `The body is not valid JSON in UTF-8${position ? `: see ${position}` : ''}.`);
    }
  },
  form: (bytes, _contentType, numbers) => fieldsOf(readPairs(bytes.toString('utf8')), numbers),
  async multipart(bytes, contentType, numbers) {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } })
      .formData()
      .catch(() => {
        throw invalidRequest([{ field: 'body', message: 'is not valid multipart/form-data' }]);
      });
    return fieldsOf(form, numbers);
  },
};

function fieldsOf(form: Iterable<[string, unknown]>, numbers: Body['numbers']): Record<string, unknown> {
  const fields: Record<string, unknown> = Object.create(null);
  for (const [name, value] of form) {
    if (name in fields) throw invalidRequest([{ field: name, message: 'must not be given twice' }]);
    fields[name] = numbers?.includes(name) ? toNumber(value) : value;
  }
  return fields;
}

/** An empty field is none. What is not a number is left to the schema, which reports it. */
function toNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const digits = value.trim();
  if (digits === '') return null;
  return /^[0-9]+$/.test(digits) ? Number(digits) : value;
}

function unsupported(media: readonly Media[]): ApiError {
  const accepted = media.map((kind) => mediaTypes[kind]).join(', ');
  return new ApiError('unsupported_media_type', `Send the body as ${accepted}, without a Content-Encoding.`);
}
