// What becomes of the bytes of a request on the way: cut, flipped, doubled, or framed so that two readers of the
// connection would not agree where it ends.
import * as fc from 'fast-check';

export interface Damage {
  name: string;
  /**
   * What must come of it. `refused`: one error, and nothing after it is read, because a proxy in front may have read
   * something else. `ends`: one answer, and the same. `open`: a request, another one, or none.
   */
  outcome: 'refused' | 'ends' | 'open';
  apply(request: RawRequest): Buffer;
}

export interface RawRequest {
  /** Without the empty line at its end. */
  head: string;
  body: Buffer;
}

const bytesOf = ({ head, body }: RawRequest): Buffer => Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);

const withoutFraming = (head: string) => head.replaceAll(/\r\n(?:content-length|transfer-encoding):[^\r\n]*/gi, '');

const smuggled = '0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';

/** Both framings at once, in the spellings by which proxies were led astray. */
const framings = [
  ['Content-Length: 4', 'Transfer-Encoding: chunked'],
  ['Transfer-Encoding: chunked', 'Content-Length: 4'],
  ['Content-Length: 4', 'Content-Length: 5'],
  ['Content-Length: 4, 4'],
  ['Content-Length: +4'],
  ['Content-Length: -1'],
  ['Content-Length: 0x4'],
  ['Content-Length: 99999999999999999999'],
  ['Transfer-Encoding:\x0bchunked'],
  ['Transfer-Encoding : chunked'],
];
/** How long its body is nobody knows. It may be answered without, and then the connection is of no use. */
const unknownFramings = ['xchunked', 'identity', 'chunked, identity', 'chunked, cow'].map((coding) => [
  `Transfer-Encoding: ${coding}`,
]);
const chunks = [
  'zz\r\nx\r\n0\r\n\r\n',
  '-1\r\nx\r\n',
  'fffffffffffffffff\r\nx',
  '1\r\nxx\r\n0\r\n\r\n',
  '1\nx\n0\n\n',
  '1;\0\r\nx\r\n0\r\n\r\n',
  '0x1\r\nx\r\n0\r\n\r\n',
];
const lines = ['X: a\0b', 'X\0: a', ': a', 'X', ' folded: a', 'X: a\rb', 'X : a', '\x80: a', 'X: \x01'];

const framedBy = (framing: readonly string[], outcome: Damage['outcome']): Damage => ({
  name: `framed by ${framing.join(' and ')}`,
  outcome,
  apply: ({ head }) => Buffer.from(`${withoutFraming(head)}\r\n${framing.join('\r\n')}\r\n\r\n${smuggled}`, 'latin1'),
});

const decided: Damage[] = [
  ...framings.map((framing) => framedBy(framing, 'refused')),
  ...unknownFramings.map((framing) => framedBy(framing, 'ends')),
  ...lines.map(
    (line): Damage => ({
      name: `with the header ${JSON.stringify(line)}`,
      outcome: 'refused',
      apply: ({ head, body }) => bytesOf({ head: head.replace('\r\n', `\r\n${line}\r\n`), body }),
    }),
  ),
  {
    name: 'with bare line feeds',
    outcome: 'refused',
    apply: ({ head, body }) =>
      Buffer.from(bytesOf({ head, body }).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
  },
  {
    name: 'with 17 KiB of headers',
    outcome: 'refused',
    apply: ({ head, body }) => bytesOf({ head: `${head}\r\nX: ${'x'.repeat(17 * 1024)}`, body }),
  },
];

const open: fc.Arbitrary<Damage> = fc.oneof(
  fc.constantFrom(...chunks).map((chunk) => ({
    name: 'with a bad chunk',
    outcome: 'open' as const,
    apply: ({ head }: RawRequest) =>
      Buffer.from(`${withoutFraming(head)}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`, 'latin1'),
  })),
  fc.double({ min: 0, max: 1, noNaN: true }).map((part) => ({
    name: 'cut off',
    outcome: 'open' as const,
    apply: (request: RawRequest) => bytesOf(request).subarray(0, Math.floor(bytesOf(request).length * part)),
  })),
  fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }).map((flips) => ({
    name: 'with changed bytes',
    outcome: 'open' as const,
    apply: (request: RawRequest) => {
      const bytes = Buffer.from(bytesOf(request));
      for (const [at, value] of flips) bytes[at % bytes.length] = value;
      return bytes;
    },
  })),
  fc.tuple(fc.nat(), fc.nat(200), fc.nat()).map(([from, length, to]) => ({
    name: 'with a piece of itself inside',
    outcome: 'open' as const,
    apply: (request: RawRequest) => {
      const bytes = bytesOf(request);
      const piece = bytes.subarray(from % bytes.length, (from % bytes.length) + length);
      return Buffer.concat([bytes.subarray(0, to % bytes.length), piece, bytes.subarray(to % bytes.length)]);
    },
  })),
  fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => ({
    name: 'replaced by noise',
    outcome: 'open' as const,
    apply: () => Buffer.from(bytes),
  })),
  fc.constantFrom('HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 x', 'http/1.1', '').map((version) => ({
    name: `of version ${version}`,
    outcome: 'open' as const,
    apply: ({ head, body }: RawRequest) => bytesOf({ head: head.replace('HTTP/1.1', version), body }),
  })),
);

export const damages: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(...decided) },
  { weight: 2, arbitrary: open },
);
