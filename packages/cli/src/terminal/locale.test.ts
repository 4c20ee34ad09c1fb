// Numbers and times for a person: in the locale and the time zone of their shell, which a process reads when it starts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { suite, test } from 'node:test';

const shown = `
  const { contacts, count, date, mebibytes, time } = await import(${JSON.stringify(new URL('./locale.ts', import.meta.url).href)});
  const at = '2026-11-30T23:30:00.000Z';
  console.log(JSON.stringify([count(1234567), contacts(1), mebibytes(1.25 * 2 ** 20), date(at), time(at)]));
`;

function shownIn(environment: { LC_ALL: string; TZ: string }): string[] {
  const args = ['--input-type=module', '--eval', shown];
  const printed = execFileSync(process.execPath, args, { env: environment, encoding: 'utf8' });
  // ICU separates the time from AM and PM by a narrow space.
  return JSON.parse(printed.replaceAll('\u202f', ' '));
}

suite('numbers and times', () => {
  test('are those of the locale and the time zone', () => {
    const german = shownIn({ LC_ALL: 'de_DE.UTF-8', TZ: 'Europe/Berlin' });
    assert.deepEqual(german, ['1.234.567', '1 contact', '1,3', '01.12.2026', '01.12.2026, 00:30']);
    const american = shownIn({ LC_ALL: 'en_US.UTF-8', TZ: 'UTC' });
    assert.deepEqual(american, ['1,234,567', '1 contact', '1.3', 'Nov 30, 2026', 'Nov 30, 2026, 11:30 PM']);
  });

  test('are English without a locale', () => {
    for (const locale of ['', 'C']) {
      const expected = ['1,234,567', '1 contact', '1.3', 'Nov 30, 2026', 'Nov 30, 2026, 11:30 PM'];
      assert.deepEqual(shownIn({ LC_ALL: locale, TZ: 'UTC' }), expected);
    }
  });
});
