// The list of all operations: complete, and right about where each handler is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { operations } from '@roster/contract';
import { listOperations } from './operations.ts';

const listed = listOperations();

suite('the list of operations', () => {
  test('has every operation once, derived ones too', () => {
    assert.deepEqual(
      listed.map(({ name }) => name),
      Object.keys(operations),
    );
  });

  test('names the file and line where the handler of each begins', () => {
    for (const { name, handler } of listed) {
      const [file = '', line = ''] = handler.split(':');
      const text = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8').split('\n')[Number(line) - 1] ?? '';
      const written = /^ +(?:async )?(\w+)/.exec(text)?.[1] ?? '';
      assert.ok([written, `${written}AsMember`, `${written}AsOperator`].includes(name), `${name}: ${handler}: ${text}`);
    }
  });

  test('says who may call a derived operation', () => {
    const { handler, ...operation } = listed.find(({ name }) => name === 'createContactAsMember') ?? assert.fail();
    assert.deepEqual(operation, {
      name: 'createContactAsMember',
      id: operations.createContactAsMember.id,
      method: 'PUT',
      path: '/v1/account/bots/{botId}/contacts',
      credentials: ['session'],
      permissions: [],
      role: 'member',
    });
    assert.match(handler, /\/operations\/contacts\.ts:\d+$/);
  });

  test('is printed as a table with a line for each, and as JSON', () => {
    const run = (...options: string[]) =>
      execFileSync(process.execPath, [fileURLToPath(new URL('operations.ts', import.meta.url)), ...options], {
        encoding: 'utf8',
      });
    assert.deepEqual(JSON.parse(run('--json')), listed);
    const lines = run().trimEnd().split('\n');
    assert.equal(lines.length, listed.length + 1);
    assert.match(
      lines.find((line) => line.startsWith('createContactAsMember ')) ?? '',
      / PUT \/v1\/account\/.* session +member +packages\//,
    );
  });
});
