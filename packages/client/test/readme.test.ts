// Every example of the package's README, and those in JavaScript of docs/attributes.md, executed in the order of their page,
// against the real server, with the package as it is published. The output is compared with the comments `// → …`, in
// which `…` stands for any text.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { clientOfNewBot, startServer, wholeFile } from './harness.ts';
import { placeClient } from './installed.ts';

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');
const page = await read('../README.md');
const server = await startServer(wholeFile);
const { folder, run } = await placeClient(wholeFile);

const examplesOf = (text: string) => Array.from(text.matchAll(/^```js\n(.*?)^```$/gms), ([, code = '']) => code);
/** All examples but the first of the README use the client that it creates. */
const makeClient = /^import .*?^\}\);$/ms.exec(examplesOf(page)[0] ?? '')?.[0] ?? '';

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

for (const [name, text] of [
  ['the README', page],
  ['docs/attributes.md', await read('../../../docs/attributes.md')],
] as const) {
  suite(name, async () => {
    const examples = examplesOf(text);
    const { botId } = await clientOfNewBot(server);
    const env = { ROSTER_SECRET: server.mine.secret, ROSTER_BOT: botId, ROSTER_URL: server.url };
    for (const [number, code] of examples.entries()) {
      test(`example ${number + 1} does what it says: ${code.split('\n', 1)[0]}`, async () => {
        const file = join(folder, 'example.mjs');
        await writeFile(file, code.includes(makeClient) ? code : `${makeClient}\n${code}`);
        const { stdout, stderr } = await run(process.execPath, [file], env);
        const lines = stdout.split('\n').filter((line) => line !== '');
        const expected = expectedOf(code);
        assert.equal(lines.length, expected.length, `${stdout}${stderr}`);
        for (const [at, pattern] of expected.entries()) assert.match(lines[at] ?? '', pattern);
      });
    }

    test('has examples, and no code in a form that is not executed', () => {
      assert.ok(examples.length >= 6);
      const blocks = Array.from(text.matchAll(/^```(\w+)$/gm), ([, language]) => language);
      assert.deepEqual(new Set(blocks), new Set(['js', 'sh']));
    });
  });
}
