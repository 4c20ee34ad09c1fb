// Answers with a file in the smallest form that the client takes.
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';

export interface RequestHead {
  headers: IncomingHttpHeaders;
}

/** A file, and the same compressed ahead of time, if it can be. */
export interface Forms {
  plain: Buffer;
  gzip?: Buffer;
  br?: Buffer;
  /** The same for every form of the content. */
  etag?: string;
}

export function formsOf(text: string): Forms {
  const plain = Buffer.from(text);
  return { plain, gzip: gzipSync(plain), etag: etagOf(plain) };
}

export function etagOf(content: Buffer): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

const patterns = {
  gzip: /(?:^|,)\s*gzip\s*(?:;\s*q=([0-9.]+))?\s*(?:,|$)/i,
  br: /(?:^|,)\s*br\s*(?:;\s*q=([0-9.]+))?\s*(?:,|$)/i,
};

export function accepts({ headers }: RequestHead, encoding: keyof typeof patterns): boolean {
  const [, quality] = patterns[encoding].exec(String(headers['accept-encoding'] ?? '')) ?? [undefined, '0'];
  return quality === undefined || Number(quality) > 0;
}

export function fileAnswer(
  request: RequestHead,
  { plain, gzip, br, etag }: Forms,
  headers: Record<string, string>,
): { body: Buffer; headers: Record<string, string> } {
  const common = { ...headers, ...(etag !== undefined && { etag }), vary: 'Accept-Encoding' };
  if (br !== undefined && accepts(request, 'br')) return { body: br, headers: { ...common, 'content-encoding': 'br' } };
  if (gzip !== undefined && accepts(request, 'gzip'))
    return { body: gzip, headers: { ...common, 'content-encoding': 'gzip' } };
  return { body: plain, headers: common };
}

/** A file whose name holds a hash of its content: it never changes. */
export function hashedFileAnswer(request: RequestHead, file: Forms & { type: string }) {
  return fileAnswer(request, file, {
    'cache-control': 'public, max-age=31536000, immutable',
    'content-type': file.type,
  });
}
