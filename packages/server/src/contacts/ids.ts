// Makes ids. Within a bot the ids of contacts ascend in the order of creation, because their time does.
import { randomFillSync } from 'node:crypto';
import { type IdKind, idBytes, idKinds } from '@roster/contract/ids';

/** A byte as a letter and a digit: 256 ordered pairs, a0 to z5, so that ids sort like their bytes. */
const pairs = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(97 + Math.floor(byte / 10)) + (byte % 10));

// One call of the generator serves many ids: it costs as much for 16 bytes as for 8 KiB.
const pool = new Uint8Array(8192);
let used = pool.length;

/** What ids of this time begin with. It is greater than every id of an earlier time, and less than every id of this time or later. */
export function lowestId(kind: IdKind, createdUs: number): string {
  let id: string = idKinds[kind].prefix;
  for (let shift = idBytes.time - 1; shift >= 0; shift--) {
    id += pairs[Math.floor(createdUs / 256 ** shift) % 256];
  }
  return id;
}

export function makeId(kind: IdKind, createdUs: number): string {
  let id = lowestId(kind, createdUs);
  if (used + idBytes.random > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  for (const byte of pool.subarray(used, used + idBytes.random)) id += pairs[byte];
  used += idBytes.random;
  return id;
}

/** An id without a time, from bytes that are unique to what it names. */
export function idOfBytes(kind: IdKind, bytes: Uint8Array): string {
  const body = Array.from(bytes.subarray(0, idBytes.time + idBytes.random), (byte) => pairs[byte]);
  return idKinds[kind].prefix + body.join('');
}

/** Derives up to 65,536 ids from the first of them, which has the index 0. */
export function numberedId(id: string, index: number): string {
  return id.slice(0, -4) + pairs[index >> 8] + pairs[index & 255];
}

/** Ids that ascend in the order of the calls, also of those within a millisecond: lists are in the order of ids. */
export function makeIdSource(): (kind: IdKind, createdAtMs: number) => string {
  let lastUs = 0;
  return (kind, createdAtMs) => {
    lastUs = Math.max(createdAtMs * 1000, lastUs + 1);
    return makeId(kind, lastUs);
  };
}
