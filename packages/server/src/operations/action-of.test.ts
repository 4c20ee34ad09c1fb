// Who acts follows from the check that let the request in, not from what the operation declares.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { operations } from '@roster/contract';
import { actionOf } from './action-of.ts';

suite('the actor of a call', () => {
  const operation = { ...operations.updateSecretAsOperator, credentials: ['signIn', 'operator'] } as const;
  const request = { ip: '192.0.2.1', headers: {} };
  const call = { operation, session: undefined, secret: undefined, rawBody: undefined, request };

  test('is the operator when the operator’s listener let the request in', () => {
    const { actor, address } = actionOf({ ...call, credential: 'operator' });
    assert.deepEqual({ actor, address }, { actor: { kind: 'operator' }, address: undefined });
  });

  test('is anonymous before sign-in, also where the operation takes the operator too', () => {
    const { actor, address } = actionOf({ ...call, credential: 'signIn' });
    assert.deepEqual({ actor, address }, { actor: { kind: 'anonymous' }, address: '192.0.2.1' });
  });
});
