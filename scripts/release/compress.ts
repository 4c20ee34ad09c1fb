// zstd, as small as it gets: releases are compressed once.
import { constants, zstdCompressSync } from 'node:zlib';

export function compress(content: Buffer): Buffer {
  return zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 19 } });
}
