// Bars are judged by the measurements at the sizes that they name; a result becomes a table, a plot and a docs page.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { judge } from './bars.ts';
import { figuresName, figuresPage, plotName, withSummary } from './docs-page.ts';
import { plot } from './plot.ts';
import { asText } from './report.ts';
import type { Cell, Result } from './result.ts';

const sizes = [100, 1000, 10_000].map((contacts) => ({ contacts, memoryMiB: 100, diskMiB: contacts / 10 }));

function cell(operation: string, contacts: number, values: Partial<Cell> = {}): Cell {
  const perSecondByRound = values.perSecondByRound ?? [100];
  const base = {
    connections: 1,
    requests: 1,
    perSecond: perSecondByRound[0] as number,
    p50Ms: 1,
    p99Ms: 2,
    worstMs: 3,
  };
  return { operation, contacts, ...base, perSecondByRound, ...values };
}

const judged = (cells: Cell[], connections = [1]) => {
  const outcomes = judge({ engine: 'sqlite', sizes, cells, connections });
  return (name: RegExp) => {
    const outcome = outcomes.find((one) => name.test(one.name));
    return outcome && { value: outcome.value, isMet: outcome.isMet };
  };
};

suite('bars', () => {
  test('the rate at the largest size is compared with the smallest, at the worst number of connections', () => {
    const cells = [1, 10].flatMap((connections) => [
      cell('retrieve', 100, { connections, perSecondByRound: [100] }),
      cell('retrieve', 1000, { connections, perSecondByRound: [10] }),
      cell('retrieve', 10_000, { connections, perSecondByRound: [connections === 1 ? 95 : 79] }),
    ]);
    assert.deepEqual(judged(cells, [1])(/^retrieve:/), { value: 0.95, isMet: true });
    assert.deepEqual(judged(cells, [1, 10])(/^retrieve:/), { value: 0.79, isMet: false });
  });

  test('a limit that is reached exactly is met', () => {
    const narrow = cell('search, 0.4% of all', 10_000, { p50Ms: 1 });
    const broad = (p50Ms: number) => cell('search, 40% of all, again', 10_000, { p50Ms });
    assert.deepEqual(judged([narrow, broad(2)])(/again: /), { value: 2, isMet: true });
    assert.deepEqual(judged([narrow, broad(2.1)])(/again: /), { value: 2.1, isMet: false });
  });

  test('the small bot is compared with the one on a server without the large bot', () => {
    const name = 'search in a bot of 1,000';
    const cells = [cell(name, 0, { p50Ms: 1 }), cell(name, 100, { p50Ms: 9 }), cell(name, 10_000, { p50Ms: 3 })];
    assert.deepEqual(judged(cells)(/without it/), { value: 3, isMet: false });
  });

  test('a bar that the run has not measured is neither met nor missed', () => {
    for (const { value, isMet } of judge({ engine: 'postgres', sizes: [], cells: [], connections: [1] })) {
      assert.deepEqual([value, isMet], [undefined, undefined]);
    }
  });
});

suite('a result', () => {
  const measured = {
    engine: 'sqlite' as const,
    sizes,
    connections: [1],
    cells: sizes.map(({ contacts }) => cell('retrieve', contacts)),
  };
  const result: Result = {
    format: 1,
    measuredAt: '2026-11-15T10:00:00.000Z',
    machine: { cpu: 'CPU', cores: 2, memoryGiB: 24, system: 'linux x64', node: 'v24', engine: 'SQLite 3' },
    smallBots: 1,
    smallBotContacts: 1000,
    rounds: 1,
    seconds: 1,
    ...measured,
    bars: judge(measured),
  };

  test('replaces the part of the docs page between the markers of its engine, and nothing else', () => {
    const page = 'Before.\n<!-- bench:sqlite -->\nSTALE\n<!-- /bench:sqlite -->\nAfter.\n';
    const once = withSummary(page, result);
    assert.match(
      once,
      /^Before\.\n<!-- bench:sqlite -->\n\n10,000 contacts in one bot.*<!-- \/bench:sqlite -->\nAfter\.\n$/s,
    );
    assert.doesNotMatch(once, /STALE/);
    assert.equal(withSummary(once, result), once);
    assert.throws(() => withSummary('No markers.', result), /no markers/);
  });

  test('tells users what an operation takes, against the smallest size and over most connections', () => {
    const cells = [
      cell('retrieve', 100, { p50Ms: 2 }),
      cell('retrieve', 10_000, { p50Ms: 3, p99Ms: 9 }),
      cell('retrieve', 10_000, { connections: 50, perSecondByRound: [5000] }),
    ];
    const page = withSummary('<!-- bench:sqlite --><!-- /bench:sqlite -->', { ...result, connections: [1, 50], cells });
    assert.match(page, /^\| {2}\| p50 ms \| p99 ms \| p50 against 100 \| a second, 50 at once \|$/m);
    assert.match(page, /^\| read a contact \| 3\.00 \| 9\.00 \| 1\.5× \| 5,000 \|$/m);
    assert.match(page, /^The server took 100 MiB of memory, and all data 1,000 MiB of disk\.$/m);
  });

  test('fits the page of the docs, whose length stays that of one', () => {
    const docs = new URL('../docs/', import.meta.url);
    const page = readFileSync(new URL('performance.md', docs), 'utf8');
    assert.ok(page.split(/\s+/).length <= 900);
    for (const engine of ['sqlite', 'postgres'] as const) {
      assert.notEqual(withSummary(page, { ...result, engine }), page);
      assert.ok(existsSync(new URL(`decisions/${figuresName(engine)}`, docs)));
      assert.ok(existsSync(new URL(`decisions/${plotName(engine)}`, docs)));
    }
  });

  test('becomes a page with all tables and the plot', () => {
    const page = figuresPage(result);
    assert.match(page, /^# Figures on SQLite$/m);
    assert.match(page, /^## Operations$/m);
    assert.match(page, /!\[[^\]]+\]\(performance-sqlite\.svg\)\n$/);
  });

  test('is printed as a table with the growth against each smaller size', () => {
    assert.match(
      asText(result),
      /^retrieve +1 +100 +1\.00 +2\.00 +– +– +– +1\.00 \/ 1\.00 \/ 1\.00 +1\.00 \/ 1\.00 \/ 1\.00$/m,
    );
  });

  test('is plotted as an SVG that names its operations, also when it has none', () => {
    assert.match(plot(result), /^<svg .*retrieve.*<\/svg>\n$/s);
    assert.match(plot({ ...result, cells: [] }), /^<svg .*<\/svg>\n$/s);
  });
});
