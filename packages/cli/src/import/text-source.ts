// A file as text: which encoding it is in, and its characters, a piece at a time. Refuses what is not text.
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { binaryFault, encodingByMark, headBytes } from '@roster/contact-files';
import { failure, usageError } from '../failure.ts';

export interface TextSource {
  /** For messages. */
  name: string;
  encoding: string;
  /** Whether the encoding is a guess that somebody should look at. */
  isGuess: boolean;
  /** Undefined when it cannot be known beforehand: a pipe. */
  sizeBytes: number | undefined;
  /** How much of it has been read. */
  readBytes: number;
  /** To be read once. */
  chunks(): AsyncGenerator<string>;
}

const chunkBytes = 256 * 1024;

/** What spreadsheets write in the West when they do not write UTF-8: a superset of Latin-1. */
const westernEncoding = 'windows-1252';

/** `-` is stdin. */
export async function openText(path: string, stdin: Readable, wanted?: string): Promise<TextSource> {
  if (wanted !== undefined) checkEncoding(wanted);
  const name = path === '-' ? 'stdin' : basename(path);
  const isFile = path !== '-' && (await stat(path)).isFile();
  // Opened once: a named pipe has its writer only for the first who opens it.
  const stream = path === '-' ? stdin : createReadStream(path, { highWaterMark: chunkBytes });
  const bytes = peekable(stream);
  const head = await bytes.head();
  const byMark = encodingByMark(head);
  const fault = binaryFault(head, wanted ?? byMark);
  if (fault !== undefined) throw failure(`${name} ${fault}`);
  const encoding = wanted ?? byMark ?? (isFile && !(await isUtf8(path)) ? westernEncoding : 'utf-8');
  const source: TextSource = {
    name,
    encoding: new TextDecoder(encoding).encoding,
    isGuess: wanted === undefined && encoding === westernEncoding,
    sizeBytes: isFile ? (await stat(path)).size : undefined,
    readBytes: 0,
    async *chunks() {
      const decoder = new TextDecoder(encoding, { fatal: true });
      const decode = (chunk?: Uint8Array) => {
        try {
          return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
        } catch (cause) {
          const hint =
            encoding === 'utf-8' ? ' If the file comes from an older Western system, pass --encoding latin1.' : '';
          throw failure(`${name} is not valid ${source.encoding} near byte ${source.readBytes}.${hint}`, cause);
        }
      };
      for await (const chunk of bytes.all()) {
        yield decode(chunk);
        source.readBytes += chunk.length;
      }
      yield decode();
    },
  };
  return source;
}

function checkEncoding(label: string): void {
  try {
    new TextDecoder(label);
  } catch {
    throw usageError(
      `There is no encoding "${label}". Common ones: utf-8, latin1, windows-1250, utf-16le, shift_jis, gbk.`,
    );
  }
}

/** A stream whose beginning can be looked at before it is read. */
function peekable(stream: Readable) {
  const iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const kept: Buffer[] = [];
  return {
    async head(): Promise<Buffer> {
      let length = 0;
      while (length < headBytes) {
        const { value, done } = await iterator.next();
        if (done) break;
        kept.push(value);
        length += value.length;
      }
      return Buffer.concat(kept).subarray(0, headBytes);
    },
    async *all(): AsyncGenerator<Buffer> {
      try {
        for (let chunk = kept.shift(); chunk !== undefined; chunk = kept.shift()) yield chunk;
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
      } finally {
        stream.destroy();
      }
    },
  };
}

/** Reads the whole file: one name in Latin-1 on the last line is enough to make it no UTF-8. */
async function isUtf8(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: chunkBytes }))
      decoder.decode(chunk, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
