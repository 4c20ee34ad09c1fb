// Every example of the package's README, executed in the order of the page, against the real server, with the package
// as a user installs it. The output is compared with the comments `// → …`, in which `…` stands for any text.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { startServer, wholeFile } from './harness.ts';
import { installClient } from './installed.ts';

const page = await readFile(new URL('../README.md', import.meta.url), 'utf8');
const server = await startServer(wholeFile);
const { folder, run } = await installClient(wholeFile);
const env = { ROSTER_TOKEN: server.mine.secret, ROSTER_BOT: server.mine.bot.id, ROSTER_URL: server.url };

const examples = Array.from(page.matchAll(/^```js\n(.*?)^```$/gms), ([, code = '']) => code);
/** The examples after the first use the client that it creates. */
const makeClient = /^import .*?^\}\);$/ms.exec(examples[0] ?? '')?.[0] ?? '';

await writeFile(
  join(folder, 'contacts.ndjson'),
  ['ann@example.com', 'ben@example.com', 'not an email', 'ann@example.com']
    .map((email) => JSON.stringify({ name: 'From a file', email }))
    .join('\n'),
);

function expectedOf(code: string): RegExp[] {
  return Array.from(code.matchAll(/\/\/ → (.*)$/gm), ([, text = '']) => {
    const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`);
  });
}

suite('the README', () => {
  for (const [number, code] of examples.entries()) {
    test(`example ${number + 1} does what it says: ${code.split('\n', 1)[0]}`, async () => {
      const isCommonJs = code.includes('require(');
      const file = join(folder, `example${number + 1}.${isCommonJs ? 'cjs' : 'mjs'}`);
      await writeFile(file, number === 0 || isCommonJs ? code : `${makeClient}\n${code}`);
      const { stdout, stderr } = await run(process.execPath, [file], env);
      const lines = stdout.split('\n').filter((line) => line !== '');
      const expected = expectedOf(code);
      assert.equal(lines.length, expected.length, `${stdout}${stderr}`);
      for (const [at, pattern] of expected.entries()) assert.match(lines[at] ?? '', pattern);
    });
  }

  test('has examples, and no code in a form that is not executed', () => {
    assert.ok(examples.length >= 8);
    const blocks = Array.from(page.matchAll(/^```(\w+)$/gm), ([, language]) => language);
    assert.deepEqual(new Set(blocks), new Set(['js', 'sh']));
  });
});
