// What is kept of a User-Agent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeBrowser } from './browsers.ts';

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

test('a browser and its system are told in a few words', () => {
  const cases: [userAgent: string | undefined, words: string][] = [
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Windows'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
      'Edge on Windows',
    ],
    [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/142.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1',
      'Chrome on iPhone',
    ],
    ['curl/8.5.0', 'curl'],
    ['<script>alert(1)</script>', ''],
    ['', ''],
    [undefined, ''],
  ];
  for (const [userAgent, words] of cases) assert.equal(describeBrowser(userAgent), words);
});

test('the longest and oddest text is short words too', () => {
  for (const text of ['Chrome/'.repeat(2000), '\0\ud800'.repeat(2000), 'Windows '.repeat(2000)]) {
    assert.ok(describeBrowser(text).length < 40);
  }
});
