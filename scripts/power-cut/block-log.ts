// The log of a recorded disk: what was written where, and when it was flushed. Makes the image that a power
// cut at any position of the log may leave.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import type { Random } from '../../packages/server/test/conformance/random.ts';

/** An entry begins with the offset of the write and its length; a flush has the length 0. */
const headerBytes = 12;
/** A disk writes sectors whole; file systems and SQLite assume no more. */
const sectorBytes = 512;

export function appendWrite(log: number, offset: number, bytes: Uint8Array): void {
  append(log, offset, bytes);
}

export function appendFlush(log: number): void {
  append(log, 0, new Uint8Array());
}

/** One call, so that a position in the log is always between two entries. */
function append(log: number, offset: number, bytes: Uint8Array): void {
  const entry = Buffer.alloc(headerBytes + bytes.length);
  entry.writeBigUInt64LE(BigInt(offset));
  entry.writeUInt32LE(bytes.length, 8);
  entry.set(bytes, headerBytes);
  if (writeSync(log, entry) !== entry.length) throw new Error('an entry of the block log was written in part');
}

interface BlockWrite {
  offset: number;
  bytes: Buffer;
}

export interface Cut {
  flushes: number;
  /** Written since the last flush: what the disk still had in its cache. */
  unflushedWrites: number;
  /** Of these, how many are on the disk as a whole, and how many in part. */
  keptWrites: number;
  tornWrites: number;
}

/** Reads a log from its beginning, and keeps an image with all that was flushed up to the position reached. */
export class Replay {
  readonly #log: number;
  readonly #image: number;
  #position = 0;
  #flushes = 0;
  #unflushed: BlockWrite[] = [];

  constructor(logPath: string, imagePath: string) {
    this.#log = openSync(logPath, 'r');
    this.#image = openSync(imagePath, 'r+');
  }

  /**
   * Goes on to a position, if it is not there yet, and from there to the next flush if told so: just before it, there is most
   * to lose. Returns the position reached.
   */
  advance(position: number, isToFlush = false): number {
    for (;;) {
      const isThere = this.#position >= position;
      if (isThere && !isToFlush) return this.#position;
      const header = this.#peek(headerBytes);
      const length = header.readUInt32LE(8);
      if (isThere && length === 0) return this.#position;
      this.#position += headerBytes;
      if (length > 0) {
        this.#unflushed.push({ offset: Number(header.readBigUInt64LE()), bytes: this.#peek(length) });
        this.#position += length;
      } else {
        for (const write of this.#unflushed) apply(this.#image, write);
        this.#unflushed = [];
        this.#flushes++;
      }
    }
  }

  /**
   * Writes to a copy of the image what a power cut here may leave of the unflushed writes. In one of four cuts nothing, in
   * one everything, else a random choice: any of them, in any order of time, and some only in part.
   */
  cut(copyPath: string, random: Random): Cut {
    const copy = openSync(copyPath, 'r+');
    const cut: Cut = { flushes: this.#flushes, unflushedWrites: this.#unflushed.length, keptWrites: 0, tornWrites: 0 };
    const kind = random.below(4);
    for (const write of this.#unflushed) {
      const fate = kind === 0 ? 'lost' : kind === 1 ? 'kept' : random.pick(['lost', 'kept', 'torn'] as const);
      if (fate === 'kept') {
        apply(copy, write);
        cut.keptWrites++;
      } else if (fate === 'torn') {
        for (const sector of sectorsOf(write)) if (random.isOneIn(2)) apply(copy, sector);
        cut.tornWrites++;
      }
    }
    closeSync(copy);
    return cut;
  }

  #peek(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.#log, bytes, 0, length, this.#position) !== length) throw new Error('the block log ends early');
    return bytes;
  }
}

function apply(image: number, { offset, bytes }: BlockWrite): void {
  writeSync(image, bytes, 0, bytes.length, offset);
}

function* sectorsOf({ offset, bytes }: BlockWrite): Generator<BlockWrite> {
  for (let at = 0; at < bytes.length; at += sectorBytes) {
    yield { offset: offset + at, bytes: bytes.subarray(at, at + sectorBytes) };
  }
}
