// The snippets for servers, as the page of a bot shows them: what can run here is run, against a real server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { suite, test } from 'node:test';
import { promisify } from 'node:util';
import { startServer } from '../../server/test/harness.ts';
import { serverSnippets } from '../src/widget/server-snippets.ts';

/** How a program is started that is given as text. PHP, Go and Ruby are not on every machine. */
const interpreters: Record<string, [command: string, ...args: string[]]> = {
  curl: ['bash', '-ec'],
  'Node.js': [process.execPath, '--input-type=module', '--eval'],
  Python: ['python3', '-c'],
};

suite('the snippet for a server', () => {
  for (const [language, [command, ...args]] of Object.entries(interpreters)) {
    test(`in ${language} saves a contact, and prints a token by which it is recognized`, async (t) => {
      const { url, mine, call } = await startServer(t);
      const snippet = serverSnippets(`${url}/v1/bots/${mine.bot.id}`).find((each) => each.language === language);
      assert.ok(snippet);
      const env = { PATH: process.env['PATH'], ROSTER_SECRET: mine.secret };
      const { stdout } = await promisify(execFile)(command, [...args, snippet.code], { env });
      const [token] = /c:[\w.:-]+/.exec(stdout) ?? [];
      assert.ok(token, stdout);
      const { json } = await call('GET', 'contacts?email=jane@example.com');
      const recognized = await call('GET', 'auth/contact', { token });
      assert.equal(recognized.json.data.id, json.data[0].id, recognized.text);
    });
  }
});
