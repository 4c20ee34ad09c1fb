// The benchmark as a whole, on a few contacts: it measures everything, and fails when a response is wrong. Takes some 40 CPU-seconds,
// most of them for the starts of 18 servers.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operations } from './operations.ts';
import { readOptions, sizesOf, UsageError } from './options.ts';
import type { Result } from './result.ts';

/** It takes some 20 seconds, and starts a dozen servers: on a busy machine that may take its time. */
const wholeRunMs = 1_800_000;

const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
after(() => rmSync(folder, { recursive: true, force: true }));

async function bench(...args: string[]) {
  const command = fileURLToPath(new URL('bench.ts', import.meta.url));
  const folders = ['--data', join(folder, 'data'), '--results', join(folder, 'results')];
  const size = [
    '--contacts',
    '200',
    '--connections',
    '1',
    '--rounds',
    '1',
    '--seconds',
    '0.01',
    '--sustained-seconds',
    '0.1',
  ];
  const child = spawn(process.execPath, [command, ...size, ...folders, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code, ...output };
}

suite('npm run bench', () => {
  test('measures everything against the real service, and writes JSON and SVG', { timeout: wholeRunMs }, async () => {
    const { code, stdout, stderr } = await bench();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Bars$/m);
    const files = readdirSync(join(folder, 'results')).sort();
    assert.deepEqual(
      files.map((name) => name.replace(/.*-/, '')),
      ['sqlite.json', 'sqlite.svg'],
    );
    const [json = '', svg = ''] = files.map((name) => readFileSync(join(folder, 'results', name), 'utf8'));
    assert.match(svg, /^<svg .*<\/svg>\n$/s);
    const result = JSON.parse(json) as Result;
    for (const { name } of operations) {
      for (const contacts of [100, 200]) {
        const cell = result.cells.find((one) => one.operation === name && one.contacts === contacts);
        assert.ok(cell && cell.requests > 0 && cell.p99Ms >= cell.p50Ms, `${name}, ${contacts}`);
      }
    }
    for (const { name, isMet } of result.bars) assert.equal(typeof isMet, 'boolean', name);
    assert.deepEqual(
      readdirSync(join(folder, 'data', readdirSync(join(folder, 'data'))[0] as string)).filter((name) =>
        /^run/.test(name),
      ),
      [],
      'no copy is left',
    );
  });

  // What else is wrong with a response: load.test.ts.
  test('fails when the total of a search is not the number of contacts that match', async () => {
    const [home = ''] = readdirSync(join(folder, 'data'));
    const file = join(folder, 'data', home, 'about-set-100-1x200', 'set.json');
    const set = JSON.parse(readFileSync(file, 'utf8'));
    set.totals['gmail'] += 1;
    writeFileSync(file, JSON.stringify(set));
    const { code, stderr } = await bench('--parts', 'cold-searches');
    assert.equal(code, 1, stderr);
    assert.match(stderr, /search, 40% of all, cold, 1 at once, 100 contacts: expected a total of \d+, got \d+/);
  });

  test('the baselines on PostgreSQL run the statements that the engine has now', { timeout: wholeRunMs }, async () => {
    // PostgreSQL refuses to run as root, and must reach its files as another user.
    chmodSync(folder, 0o755);
    const { code, stderr } = await bench(
      ...['--engine', 'postgres', '--parts', 'cold-searches,load', '--contacts', '100'],
      ...['--data', join(folder, 'postgres')],
    );
    assert.equal(code, 0, stderr);
  });

  test('rejects unknown or invalid options and prints its usage', async () => {
    const { code, stderr } = await bench('--parts', 'nothing');
    assert.equal(code, 1);
    assert.match(stderr, /--parts has no nothing\.\n\nUsage: npm run bench/);
    for (const args of [
      '--engine=files',
      '--contacts=many',
      '--contacts=1',
      '--seconds=0',
      '--rounds=0.5',
      '--unknown',
    ]) {
      assert.throws(() => readOptions([args]), UsageError, args);
    }
  });

  test('also measures a tenth and a hundredth of the given size, each once', () => {
    assert.deepEqual(sizesOf(1_000_000), [10_000, 100_000, 1_000_000]);
    assert.deepEqual(sizesOf(200), [100, 200]);
  });
});
