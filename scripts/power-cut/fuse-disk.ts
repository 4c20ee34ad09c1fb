// A disk that remembers everything: one file, served to the kernel through FUSE, whose every write and flush goes to a
// log before it is answered. A process of its own, which `recorded-disk.ts` starts; it ends when the file is unmounted.
// It speaks the kernel's protocol itself (linux/fuse.h): one file needs eight of its requests.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { appendFlush, appendWrite } from './block-log.ts';

const [imagePath, logPath] = process.argv.slice(2) as [string, string];
/** /dev/fuse, opened by the parent, who has mounted it. */
const device = 3;

const opcodes = {
  forget: 2,
  getAttributes: 3,
  setAttributes: 4,
  open: 14,
  read: 15,
  write: 16,
  statFileSystem: 17,
  release: 18,
  sync: 20,
  flush: 25,
  init: 26,
  interrupt: 36,
  destroy: 38,
  batchForget: 42,
};
const headerBytes = 40;
const writeHeaderBytes = 40;
const writeBytesMax = 128 * 1024;
/** FUSE_BIG_WRITES: more than a page in a write. */
const bigWrites = 1 << 5;
/** The protocol of Linux 5.10, which later kernels speak too. */
const protocol = { major: 7, minor: 32 };

const image = openSync(imagePath, 'r+');
const log = openSync(logPath, 'a');
const imageBytes = fstatSync(image).size;
const buffer = Buffer.alloc(headerBytes + writeHeaderBytes + writeBytesMax + 4096);

for (;;) {
  let length: number;
  try {
    length = readSync(device, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENODEV') break; // Unmounted.
    throw error;
  }
  const unique = buffer.readBigUInt64LE(8);
  const reply = handle(buffer.readUInt32LE(4), buffer.subarray(headerBytes, length));
  if (reply !== undefined) respond(unique, reply);
}
for (const file of [image, log, device]) closeSync(file);

/** The body of the response, the number of an error, or undefined when the kernel expects no response. */
function handle(opcode: number, request: Buffer): Buffer | number | undefined {
  switch (opcode) {
    case opcodes.init:
      return initialized(request);
    case opcodes.getAttributes:
    case opcodes.setAttributes:
      return attributes();
    case opcodes.open:
      return Buffer.alloc(16);
    case opcodes.read: {
      const bytes = Buffer.alloc(request.readUInt32LE(16));
      return bytes.subarray(0, readSync(image, bytes, 0, bytes.length, Number(request.readBigUInt64LE(8))));
    }
    case opcodes.write: {
      const offset = Number(request.readBigUInt64LE(8));
      const bytes = request.subarray(writeHeaderBytes, writeHeaderBytes + request.readUInt32LE(16));
      appendWrite(log, offset, bytes);
      writeSync(image, bytes, 0, bytes.length, offset);
      return words(bytes.length, 0);
    }
    case opcodes.sync:
      appendFlush(log);
      return Buffer.alloc(0);
    case opcodes.release:
    case opcodes.flush:
    case opcodes.destroy:
      return Buffer.alloc(0);
    case opcodes.statFileSystem:
      return Buffer.alloc(80);
    case opcodes.forget:
    case opcodes.batchForget:
    case opcodes.interrupt:
      return undefined;
    default:
      return constants.errno.ENOSYS;
  }
}

function respond(unique: bigint, reply: Buffer | number): void {
  const body = typeof reply === 'number' ? Buffer.alloc(0) : reply;
  const header = Buffer.alloc(16);
  header.writeUInt32LE(header.length + body.length);
  header.writeInt32LE(typeof reply === 'number' ? -reply : 0, 4);
  header.writeBigUInt64LE(unique, 8);
  writeSync(device, Buffer.concat([header, body]));
}

function initialized(request: Buffer): Buffer {
  const body = Buffer.alloc(64);
  words(protocol.major, protocol.minor, request.readUInt32LE(8), bigWrites).copy(body);
  body.writeUInt32LE(writeBytesMax, 20);
  body.writeUInt32LE(1, 24); // Times in nanoseconds.
  return body;
}

/** Of the one file there is, valid for a day: nobody else changes it. */
function attributes(): Buffer {
  const body = Buffer.alloc(104);
  body.writeBigUInt64LE(86_400n);
  body.writeBigUInt64LE(1n, 16); // The inode.
  body.writeBigUInt64LE(BigInt(imageBytes), 24);
  words(0o100600, 1).copy(body, 16 + 60); // Mode, links.
  body.writeUInt32LE(4096, 16 + 80);
  return body;
}

function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
}
