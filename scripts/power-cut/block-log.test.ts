import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { Random } from '../../packages/server/test/conformance/random.ts';
import { appendFlush, appendWrite, Replay } from './block-log.ts';

const sector = 512;
const cutsEnough = 200;

suite('a power cut', () => {
  test('leaves what was flushed, and nothing of what was written later than it', (t) => {
    const { write, flush, position, open } = makeLog(t);
    write(0, 'a');
    flush();
    const cutAt = position();
    write(1, 'b');
    flush();
    const { images } = open(cutAt);
    assert.deepEqual(images, new Set(['a..']));
  });

  test('leaves any choice of the unflushed writes, also of the sectors of one, whatever their order', (t) => {
    const { write, flush, position, open } = makeLog(t);
    write(0, 'a');
    flush();
    write(0, 'bb');
    write(2, 'c');
    const { images, cut } = open(position());
    assert.deepEqual(images, new Set(['a..', 'bb.', 'bbc', 'a.c', 'b..', 'ab.', 'b.c', 'abc']));
    assert.equal(cut.unflushedWrites, 2);
    assert.equal(cut.flushes, 1);
  });

  test('before the next flush loses all that the flush would have kept', (t) => {
    const { write, flush, position, open } = makeLog(t);
    write(0, 'a');
    const early = position();
    write(1, 'b');
    const late = position();
    flush();
    write(2, 'c');
    const { images, reached } = open(early, true);
    assert.equal(reached, late);
    assert.deepEqual(images, new Set(['...', 'a..', '.b.', 'ab.']));
  });
});

/** A log of writes to a disk of three sectors, each shown as one character. */
function makeLog(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'roster-block-log-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const logPath = join(folder, 'log');
  const log = openSync(logPath, 'a');
  t.after(() => closeSync(log));
  const bytesOf = (text: string) => Buffer.concat([...text].map((sign) => Buffer.alloc(sector, sign)));
  return {
    write: (at: number, text: string) => appendWrite(log, at * sector, bytesOf(text)),
    flush: () => appendFlush(log),
    position: () => statSync(logPath).size,
    open(cutAt: number, isToFlush = false) {
      const path = join(folder, 'flushed');
      writeFileSync(path, bytesOf('...'));
      const replay = new Replay(logPath, path);
      const reached = replay.advance(cutAt, isToFlush);
      const flushed = readFileSync(path);
      const random = new Random(1);
      const copy = join(folder, 'copy');
      const makeCut = () => {
        writeFileSync(copy, flushed);
        const cut = replay.cut(copy, random);
        const bytes = readFileSync(copy);
        return { cut, image: [0, 1, 2].map((at) => String.fromCharCode(bytes[at * sector] ?? 0)).join('') };
      };
      const cuts = Array.from({ length: cutsEnough }, makeCut);
      const images = new Set(cuts.map(({ image }) => image));
      return { reached, images, cut: cuts[0]?.cut ?? assert.fail() };
    },
  };
}
