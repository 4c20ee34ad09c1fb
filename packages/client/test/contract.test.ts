// The published client cannot import the contract, so it contains copies of parts of it: they are equal.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import * as contract from '@roster/contract';
import { makeApiError } from '../src/api-errors.ts';
import { ApiError, EmailTakenError, version } from '../src/index.ts';
import { limits, operations } from '../src/operations.ts';

const declared: readonly contract.Operation[] = Object.values(contract.operations);

/** Those of the account are not the client's. */
const onContacts = declared.filter(
  ({ credentials, path }) => credentials.includes('secret') && !path.startsWith('/v1/account/'),
);

suite('the client and the contract', () => {
  for (const { id, method, path, success } of Object.values(operations)) {
    test(`agree on ${id}`, () => {
      const operation = declared.find((candidate) => candidate.id === id);
      assert.ok(operation);
      assert.deepEqual(
        { method, path: `/v1/bots/{botId}${path}`, success, credentials: ['secret'] },
        {
          method: operation.method,
          path: operation.path,
          success: operation.answer.status,
          credentials: operation.credentials,
        },
      );
    });
  }

  test('have the same operations on contacts with a secret, except for alternative forms of others', () => {
    const otherForms = ['contacts.list', 'auth.contact', 'auth.contacts.tokenizeByPost'];
    const called = Object.values(operations).map(({ id }): string => id);
    const offered = onContacts.map(({ id }) => id);
    assert.deepEqual([...called, ...otherForms].sort(), offered.sort());
  });

  test('agree on limits', () => {
    for (const name of Object.keys(limits) as (keyof typeof limits)[])
      assert.equal(limits[name], contract.limits[name]);
  });

  test('have an error class for each error code of an operation on contacts with a secret', () => {
    const ofTheAccount = [
      ...['limit_reached', 'member_exists', 'organization_required', 'last_owner', 'sign_in_failed'],
      'password_required',
    ];
    for (const operation of onContacts) {
      for (const code of contract.errorsOf(operation)) assert.ok(!ofTheAccount.includes(code), operation.id);
    }
    const codes = Object.entries(contract.errorCodes).filter(([code]) => !ofTheAccount.includes(code));
    const classes = codes.map(([code, { status, title }]) => {
      const error = { type: 'about:blank', title, status, code, detail: 'why', requestId: 'req-1', contactId: 'con_1' };
      const made = makeApiError({
        operation: 'contacts.create',
        status,
        error,
        requestId: 'req-1',
        retryAfterMs: undefined,
        isOutcomeUnknown: false,
      });
      assert.ok(made instanceof ApiError);
      assert.notEqual(made.constructor, ApiError, code);
      assert.equal(made.name, made.constructor.name);
      assert.equal(made instanceof EmailTakenError, code === 'email_taken');
      return made.name;
    });
    assert.equal(new Set(classes).size, classes.length);
  });

  test('the version in the User-Agent is that of the package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    assert.equal(version, manifest.version);
  });
});
