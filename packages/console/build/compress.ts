// Compresses a file of a build as well as it can be done, beside itself: the server only sends what is there.
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

export function compress(file: string): void {
  const plain = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  writeFileSync(`${file}.br`, brotliCompressSync(plain, { params }));
  writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
}
