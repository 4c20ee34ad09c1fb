// What operators watch, held against the code: the dashboard, the alert rules and the docs name metrics that a server really
// exports, and the docs name every metric, every alert and every event of the log.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { logEvents } from '../src/log.ts';
import { openPostgresStore } from '../src/store/postgres/postgres-store.ts';
import { postgresUnderLoad } from './conformance/engine.ts';
import { metricsToken, startServer } from './harness.ts';
import { wholeFile } from './http/every-operation.ts';
import { createDatabase } from './postgres/databases.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

const { call, store: served } = await startServer(wholeFile);
const page = (await call('GET', '/metrics', { token: metricsToken })).text;

/** Of a server on either engine. */
const exported = new Set(Array.from(page.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name));
for (const name of Object.keys(served.gauges())) exported.add(`roster_${name}`);
const database = await createDatabase('plain');
const store = await openPostgresStore({ url: database.url, ...postgresUnderLoad });
for (const name of Object.keys(store.gauges())) exported.add(`roster_${name}`);
await store.close();
await database.drop();
// Whichever engine the tests run on, the other has these metrics of its own.
exported.add('roster_store_unindexed_rows').add('roster_store_damaged');

const namedIn = (text: string) => new Set(text.match(/\b(?:roster|process|nodejs)_[a-z_0-9]+\b/g));
/** A histogram is scraped as three series. */
const metricOf = (series: string) => (exported.has(series) ? series : series.replace(/_(?:bucket|count|sum)$/, ''));

suite('deploy/monitoring', () => {
  for (const file of ['roster-alerts.yml', 'roster-alerts.test.yml', 'roster-dashboard.json']) {
    test(`${file} names only metrics that a server exports`, () => {
      const named = namedIn(read(`deploy/monitoring/${file}`));
      assert.ok(named.size > 5);
      for (const series of named) assert.ok(exported.has(metricOf(series)), series);
    });
  }

  test('the dashboard shows every metric of Roster', () => {
    const shown = new Set(Array.from(namedIn(read('deploy/monitoring/roster-dashboard.json')), metricOf));
    for (const name of exported) if (name.startsWith('roster_')) assert.ok(shown.has(name), name);
  });

  test('the dashboard is one that Grafana imports: panels with ids and places of their own, and queries', () => {
    const { title, panels, templating } = JSON.parse(read('deploy/monitoring/roster-dashboard.json'));
    assert.equal(title, 'Roster');
    assert.equal(new Set(panels.map(({ id }: { id: number }) => id)).size, panels.length);
    const places = panels.map(({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x} ${y}`);
    assert.equal(new Set(places).size, panels.length);
    const variables = templating.list.map(({ name }: { name: string }) => name);
    for (const { targets } of panels) {
      assert.ok(targets.length > 0);
      for (const { expr } of targets) {
        for (const [, name] of expr.matchAll(/\$(\w+)/g))
          assert.ok(name === '__rate_interval' || variables.includes(name));
      }
    }
  });

  test('a database that is damaged or read-only raises an alert', () => {
    const named = namedIn(read('deploy/monitoring/roster-alerts.yml'));
    for (const name of ['roster_store_damaged', 'roster_store_read_only']) assert.ok(named.has(name), name);
  });

  test('every alert is tested, and docs/operations/monitoring.md says what to do about it', () => {
    const alerts = Array.from(
      read('deploy/monitoring/roster-alerts.yml').matchAll(/- alert: (\w+)/g),
      ([, name = '']) => name,
    );
    assert.ok(alerts.length > 10);
    const docs = read('docs/operations/monitoring.md');
    for (const alert of alerts) {
      assert.match(
        read('deploy/monitoring/roster-alerts.test.yml'),
        new RegExp(`alertname: ${alert}\\n +exp_alerts`),
        alert,
      );
      assert.ok(docs.includes(`| \`${alert}\` |`), alert);
    }
    for (const [, name = ''] of docs.matchAll(/^\| `(Roster\w+)` \|/gm)) assert.ok(alerts.includes(name), name);
  });
});

suite('docs/operations.md', () => {
  test('has a row for every metric of Roster, and for no other', () => {
    const rows = Array.from(read('docs/operations.md').matchAll(/^\| `(roster_\w+)` \|/gm), ([, name = '']) => name);
    const ours = [...exported].filter((name) => name.startsWith('roster_'));
    assert.deepEqual(rows.toSorted(), ours.toSorted());
  });
});

suite('docs/operations/monitoring.md', () => {
  const docs = read('docs/operations/monitoring.md');

  test('has every event of the log', () => {
    for (const event of Object.keys(logEvents)) assert.ok(docs.includes(`\`${event}\``), event);
  });

  test('has every member of a line', () => {
    for (const name of Object.values(logEvents).flat()) assert.ok(docs.includes(`\`${name}\``), name);
  });
});
