// The published client cannot import the contract, so it contains copies of parts of it: they are equal.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import * as contract from '@roster/contract';
import { makeApiError } from '../src/api-errors.ts';
import { filterParameters } from '../src/filter-parameters.ts';
import { ApiError, EmailTakenError, version } from '../src/index.ts';
import { limits, type Operation, operations } from '../src/operations.ts';

const declared: readonly contract.Operation[] = Object.values(contract.operations);

/** Those of the account are not the client's. */
const onContacts = declared.filter(
  ({ credentials, path }) => credentials.includes('secret') && !path.startsWith('/v1/account/'),
);

suite('the client and the contract', () => {
  for (const { id, method, path, success, changed } of Object.values<Operation>(operations)) {
    test(`agree on ${id}`, () => {
      const operation = declared.find((candidate) => candidate.id === id);
      assert.ok(operation);
      assert.deepEqual(
        { method, path: `/v1/bots/{botId}${path}`, success, changed, credentials: ['secret'] },
        {
          method: operation.method,
          path: operation.path,
          success: operation.answer.status,
          changed: operation.answer.changed?.status,
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

  test('agree on the parameters of filters', () => {
    const range = { gte: '-4d', gt: '-3d', lte: '-2d', lt: '-1d' };
    const condition = { contains: 'a', exists: true };
    const fields = {
      name: condition,
      email: condition,
      phone: condition,
      mid: condition,
      wid: condition,
      createdAt: range,
      updatedAt: range,
      lastSeenAt: { ...range, exists: true },
      tag: { all: ['a', 'b'], any: ['c'], not: ['d'], exists: true },
    };
    const exact = { email: 'a@x', phone: '1', mid: '2', wid: '3', tag: ['a', 'b'] };
    const { segment: _, ...declared } = contract.filterParameters;
    const written = { ...filterParameters(fields), ...filterParameters(exact) };
    assert.deepEqual(Object.keys(written).sort(), Object.keys(declared).sort());
    assert.deepEqual(filterParameters({ tag: { all: ['a', 'b'] } }), filterParameters({ tag: ['a', 'b'] }));
    const attributes = {
      seats: { ...range, gte: 1.5e-9 },
      renewal: { exists: false },
      plan: ['pro', 7, true],
      city: { not: ['Rome', 'Oslo'], contains: 'o' },
    };
    const ofAttributes = filterParameters({ attributes });
    assert.ok(Object.keys(ofAttributes).every(contract.isAttributeParameter));
    assert.deepEqual(ofAttributes, {
      'attributes[seats][gte]': '1.5e-9',
      'attributes[seats][gt]': '-3d',
      'attributes[seats][lte]': '-2d',
      'attributes[seats][lt]': '-1d',
      'attributes[renewal][exists]': 'false',
      'attributes[plan]': ['pro', '7', 'true'],
      'attributes[city][not]': ['Rome', 'Oslo'],
      'attributes[city][contains]': 'o',
    });
  });

  test('agree on limits', () => {
    for (const name of Object.keys(limits) as (keyof typeof limits)[])
      assert.equal(limits[name], contract.limits[name]);
  });

  test('have an error class for each error code of an operation on contacts with a secret', () => {
    const ofOthers = ['member_exists', 'organization_required', 'last_owner', 'sign_in_failed', 'password_required'];
    for (const operation of onContacts) {
      for (const code of contract.errorsOf(operation)) assert.ok(!ofOthers.includes(code), operation.id);
    }
    const codes = Object.entries(contract.errorCodes).filter(([code]) => !ofOthers.includes(code));
    const classes = codes.map(([code, { status, title }]) => {
      const extras = { contactId: 'con_1', next: '0-1' };
      const error = { type: 'about:blank', title, status, code, detail: 'why', requestId: 'req-1', ...extras };
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
