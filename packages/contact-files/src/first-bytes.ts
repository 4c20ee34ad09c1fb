// What the first bytes of a file tell: a byte order mark, or that it is not text but an image, a workbook, an archive.

/** How much of a file tells text from something else. */
export const headBytes = 64 * 1024;

const asCsv = 'export your contacts as CSV, and import that file';
const sheet = 'save the sheet as CSV, and import that file';
const unpacked = 'decompress it, and import what is inside';

const kinds: readonly { signature: string; kind: string; remedy: string }[] = [
  { signature: '89504e47', kind: 'a PNG image', remedy: asCsv },
  { signature: 'ffd8ff', kind: 'a JPEG image', remedy: asCsv },
  { signature: '474946383961', kind: 'a GIF image', remedy: asCsv },
  { signature: '25504446', kind: 'a PDF', remedy: asCsv },
  { signature: '53514c69746520666f726d6174203300', kind: 'an SQLite database', remedy: asCsv },
  { signature: '504b0304', kind: 'a workbook or a zip archive', remedy: sheet },
  { signature: 'd0cf11e0', kind: 'an old Excel workbook', remedy: sheet },
  { signature: '1f8b', kind: 'compressed with gzip', remedy: unpacked },
  { signature: 'fd377a585a00', kind: 'compressed with xz', remedy: unpacked },
  { signature: '28b52ffd', kind: 'compressed with zstd', remedy: unpacked },
];

/** Why a file is not text, and what to do. Undefined for text. */
export function binaryFault(head: Uint8Array, encoding?: string): string | undefined {
  const start = Array.from(head.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const known = kinds.find(({ signature }) => start.startsWith(signature));
  if (known !== undefined) return `is not a text file but ${known.kind}: ${known.remedy}.`;
  const mayHoldZeros = encoding?.toLowerCase().startsWith('utf-16');
  if (mayHoldZeros || !head.includes(0)) return undefined;
  return 'is not a text file: it contains binary data. Export your contacts as CSV in UTF-8, and import that file.';
}

/** The encoding that a byte order mark at the beginning of a file declares. */
export function encodingByMark([first, second, third]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return undefined;
}
