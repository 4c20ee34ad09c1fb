// What is removed and when: in slices, one after the other, entries of the audit log after their days, and nothing by a clock
// that may be wrong.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openChosenStore } from '../../test/chosen-engine.ts';
import { addBot } from '../../test/conformance/engine.ts';
import { until } from '../../test/process/waiting.ts';
import { sampleCaller, sampleContext, sampleFields } from '../../test/sample.ts';
import { lowestId } from '../contacts/ids.ts';
import { preparePurgeTime } from './purge-time.ts';
import { startPurging } from './purging.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nowMs = Date.UTC(2026, 10, 14);

test('forgiven attempts are removed, and entries of the audit log after their days, when nothing else is left', async (t) => {
  const calls: string[] = [];
  const done = Promise.withResolvers<void>();
  let slices = 2;
  let attemptSlices = 2;
  const purging = startPurging({
    store: {
      async findPurging() {
        return {};
      },
      async savePurging() {},
      async purge() {
        calls.push('purge');
        return --slices > 0;
      },
      async purgeAttempts(keep, rows) {
        calls.push(`all but ${keep} attempts`);
        return --attemptSlices > 0 ? rows : rows - 1;
      },
      async purgeAudit(before) {
        calls.push(before);
        done.resolve();
        return false;
      },
    },
    clock: () => nowMs,
    logger: { warn: assert.fail } as never,
    auditDays: 30,
    eventDays: 30,
  });
  t.after(() => purging.stop());
  // Its timer does not keep a process alive, so something else must.
  const alive = setInterval(() => {}, 1000);
  await done.promise;
  clearInterval(alive);
  const attempts = 'all but 100000 attempts';
  assert.deepEqual(calls, [
    'purge',
    'purge',
    attempts,
    'purge',
    attempts,
    lowestId('auditEntry', (nowMs - 30 * dayMs) * 1000),
  ]);
});

/** A machine with two clocks, one of which can be set, and an empty store. */
async function startMachine(t: TestContext) {
  const opened = await openChosenStore();
  t.after(opened.close);
  const { store } = opened;
  const warnings: Record<string, unknown>[] = [];
  const machine = {
    store,
    nowMs,
    uptimeMs: 1000,
    warnings,
    logger: { warn: (line: Record<string, unknown>) => warnings.push(line) } as never,
    clock: () => machine.nowMs,
    uptime: () => machine.uptimeMs,
    pass(ms: number) {
      machine.nowMs += ms;
      machine.uptimeMs += ms;
    },
    /** The purge time as a server finds it that starts now. */
    start: () => preparePurgeTime(machine),
    state: async () => {
      const { purgedAtMs, pausedUntilMs } = await store.findPurging();
      return { purgedAtMs, pausedUntilMs };
    },
  };
  return machine;
}

test('a clock that is 40 days ahead removes nothing for a day', async (t) => {
  const machine = await startMachine(t);
  const { store, warnings } = machine;
  const { botId } = await addBot({ store });
  const eventCount = 19;
  for (let index = 0; index < eventCount; index++) {
    const atMs = nowMs - index * dayMs;
    await store.createContact(botId, sampleFields(), sampleContext({ nowMs: atMs }));
  }
  const countEvents = async () => {
    const page = await store.readEvents(botId, { limit: 100 }, sampleCaller);
    return page.kind === 'page' ? page.events.length : 0;
  };
  let purges = 0;
  const purge: typeof store.purge = async (...args) => {
    const isMoreLeft = await store.purge(...args);
    purges++;
    return isMoreLeft;
  };
  const purging = startPurging({ ...machine, store: { ...store, purge }, auditDays: 30, eventDays: 30, everyMs: 1 });
  t.after(() => purging.stop());
  const purgeAgain = async () => {
    const purgedBefore = purges;
    // One may have begun before this call, so only the second is known to have begun after it.
    await until('two purges', () => purges >= purgedBefore + 2);
  };
  await purgeAgain();
  machine.nowMs += 40 * dayMs;
  await purgeAgain();
  assert.equal(await countEvents(), eventCount);
  const pausedUntil = new Date(machine.nowMs + dayMs);
  assert.deepEqual(warnings, [{ aheadHours: 40 * 24, pausedUntil }]);
  machine.pass(dayMs - 1);
  await purgeAgain();
  assert.equal(await countEvents(), eventCount);
  machine.pass(1);
  await until('the events to be removed', async () => (await countEvents()) === 0);
  assert.equal(warnings.length, 1);
});

test('a clock that is set right again ends the pause, and one that is late removes no more than is old by it', async (t) => {
  const machine = await startMachine(t);
  const findTime = machine.start();
  await findTime();
  machine.nowMs += 40 * dayMs;
  machine.uptimeMs += hourMs;
  assert.equal(await findTime(), nowMs);
  machine.nowMs = nowMs + hourMs;
  assert.equal(await findTime(), machine.nowMs);
  assert.deepEqual(await machine.state(), { purgedAtMs: machine.nowMs, pausedUntilMs: undefined });
  machine.nowMs -= 10 * dayMs;
  assert.equal(await findTime(), machine.nowMs);
  assert.equal((await machine.state()).purgedAtMs, machine.nowMs);
  assert.equal(machine.warnings.length, 1);
});

test('a pause outlasts restarts, and ends', async (t) => {
  const machine = await startMachine(t);
  await machine.start()();
  machine.nowMs += 5 * hourMs;
  const pausedUntilMs = machine.nowMs + dayMs;
  for (let hours = 0; hours < 24; hours++) {
    assert.equal(await machine.start()(), nowMs);
    assert.deepEqual(await machine.state(), { purgedAtMs: nowMs, pausedUntilMs });
    machine.nowMs += hourMs;
  }
  assert.equal(await machine.start()(), machine.nowMs);
  assert.equal(machine.warnings.length, 1, 'a pause is logged when it begins');
});

test('a server that is off every night, or asleep, still purges', async (t) => {
  for (const isRestarted of [true, false]) {
    const machine = await startMachine(t);
    let findTime = machine.start();
    let purgedDays = 0;
    for (let day = 0; day < 20; day++) {
      if ((await findTime()) === machine.nowMs) purgedDays++;
      for (let minutes = 0; minutes < 10 * 60; minutes += 10) {
        machine.pass(10 * 60_000);
        await findTime();
      }
      // The machine is off: only the clock moves on, not the uptime.
      machine.nowMs += 14 * hourMs;
      if (isRestarted) findTime = machine.start();
    }
    assert.ok(purgedDays >= 9, `on ${purgedDays} of 20 days`);
  }
});

test('a database that was out of reach for hours is no jump, nor is a short break', async (t) => {
  const machine = await startMachine(t);
  const findTime = machine.start();
  await findTime();
  machine.pass(5 * hourMs);
  assert.equal(await findTime(), machine.nowMs);
  machine.pass(hourMs);
  assert.equal(await machine.start()(), machine.nowMs);
  assert.deepEqual(machine.warnings, []);
});

test('another jump during a pause begins another day', async (t) => {
  const machine = await startMachine(t);
  const findTime = machine.start();
  await findTime();
  for (let jumps = 1; jumps <= 3; jumps++) {
    machine.nowMs += 40 * dayMs;
    assert.equal(await findTime(), nowMs);
    assert.equal((await machine.state()).pausedUntilMs, machine.nowMs + dayMs);
    assert.equal(machine.warnings.length, jumps);
    machine.pass(hourMs);
    assert.equal(await findTime(), nowMs);
  }
});

test('after a restart, a pause by a clock that was set back since lasts no longer than a day', async (t) => {
  const machine = await startMachine(t);
  await machine.start()();
  machine.nowMs += 40 * dayMs;
  await machine.start()();
  machine.nowMs = nowMs + 5 * hourMs;
  assert.equal(await machine.start()(), nowMs);
  assert.equal((await machine.state()).pausedUntilMs, machine.nowMs + dayMs);
  machine.nowMs += dayMs;
  assert.equal(await machine.start()(), machine.nowMs);
});
