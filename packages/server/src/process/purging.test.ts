// What is removed and when: in slices, one after the other, and entries of the audit log after their days.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lowestId } from '../contacts/ids.ts';
import { startPurging } from './purging.ts';

const dayMs = 86_400_000;
const nowMs = Date.UTC(2026, 10, 14);

test('forgiven attempts are removed, and entries of the audit log after their days, when nothing else is left', async (t) => {
  const calls: string[] = [];
  const done = Promise.withResolvers<void>();
  let slices = 2;
  let attemptSlices = 2;
  const purging = startPurging({
    store: {
      async purge() {
        calls.push('purge');
        return --slices > 0;
      },
      async purgeAttempts(_nowMs, keep, rows) {
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
