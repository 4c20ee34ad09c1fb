// The key that orders rows with the same email is the key by which the service matches contacts.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import * as contract from '@roster/contract';
import fc from 'fast-check';
import { emailKey } from './email-key.ts';

suite('emailKey', () => {
  test("is the contract's key of the trimmed email", () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (email) => {
        assert.equal(emailKey(` ${email}\n`), contract.emailKey(email.trim()));
      }),
    );
    assert.equal(emailKey(' JANE@Example.com '), 'jane@example.com');
  });

  test('is undefined for anything but a string', () => {
    for (const value of [undefined, null, 7, {}]) assert.equal(emailKey(value), undefined);
  });
});
