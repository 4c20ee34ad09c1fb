// Which requests belong to a task of the console, and which headers are ignored because the request does something else.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Operation, type TaskKind, taskActions } from '@roster/contract';
import { taskOf } from './task-of.ts';

/** The action of the request's entry. Undefined: the header is ignored. */
function actionOf(header: string, rawBody: unknown, audit: string = taskActions.import) {
  const operation = { audit } as Operation;
  return taskOf({ operation, request: { headers: { 'roster-task': header } }, rawBody })?.audit;
}

const rows = (...data: unknown[]) => ({ data });
const header = (kind: TaskKind, name = '') => `kind=${kind}&id=task-0001&name=${name}`;

suite('a request belongs to a task', () => {
  test('that imports, tags or sets an attribute, as it says', () => {
    assert.equal(actionOf(header('import', 'a.csv'), rows({ email: 'a', name: 'A', tags: ['x'] })), 'contacts.import');
    assert.equal(actionOf(header('tag'), rows({ email: 'a', addTags: ['x'] })), 'contacts.tag');
    assert.equal(actionOf(header('untag'), rows({ email: 'a', removeTags: ['x'] })), 'contacts.untag');
    const set = rows({ email: 'a', attributes: { plan: 'pro' } });
    assert.equal(actionOf(header('attribute', 'plan'), set), 'contacts.setAttribute');
    const clear = rows({ email: 'a', attributes: { plan: null } }, { email: 'b', attributes: { plan: '' } });
    assert.equal(actionOf(header('clear', 'plan'), clear), 'contacts.clearAttribute');
  });

  test('without a body, too', () => {
    assert.equal(actionOf(header('delete'), undefined, taskActions.delete), 'contact.delete');
  });

  test('not if it does more, or other than it says', () => {
    assert.equal(actionOf(header('tag'), rows({ email: 'a', addTags: ['x'], name: 'New' })), undefined);
    assert.equal(actionOf(header('attribute', 'plan'), rows({ email: 'a', attributes: { seats: 1 } })), undefined);
    assert.equal(actionOf(header('attribute', 'plan'), rows({ email: 'a', attributes: { plan: null } })), undefined);
    assert.equal(actionOf(header('clear', 'plan'), rows({ email: 'a', attributes: { plan: 'pro' } })), undefined);
    assert.equal(actionOf(header('delete'), rows({ email: 'a' })), undefined);
  });

  test('not if its rows are no objects', () => {
    for (const odd of [null, 'row', 7]) assert.equal(actionOf(header('tag'), rows(odd)), undefined);
    assert.equal(
      actionOf(header('attribute', 'plan'), rows({ email: 'a', attributes: null })),
      'contacts.setAttribute',
    );
  });

  test('not by a header that is none', () => {
    for (const odd of ['', 'kind=import', 'kind=toString&id=task-0001', 'kind=import&id=short']) {
      assert.equal(actionOf(odd, rows({ email: 'a' })), undefined, odd);
    }
  });
});
