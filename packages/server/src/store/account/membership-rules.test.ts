// An organization is never left without an owner.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Role } from '@roster/contract';
import type { Member } from './account-store.ts';
import { judgeRemoval, judgeRoleChange, mayInvite } from './membership-rules.ts';

function member(id: string, role: Role): Member {
  return { id, organizationId: 'org', name: id, email: `${id}@example.com`, role, createdAtMs: 0, lastSignInAtMs: 0 };
}

const ann = member('ann', 'owner');
const bob = member('bob', 'owner');
const eve = member('eve', 'member');

suite('membership rules', () => {
  test('the last owner is not removed', () => {
    assert.deepEqual(judgeRemoval([ann, eve], 'ann'), { kind: 'last_owner' });
    assert.deepEqual(judgeRemoval([ann], 'ann'), { kind: 'last_owner' });
  });

  test('one of two owners, and any member who is no owner, is removed', () => {
    assert.deepEqual(judgeRemoval([ann, bob], 'ann'), { kind: 'done', member: ann });
    assert.deepEqual(judgeRemoval([ann, eve], 'eve'), { kind: 'done', member: eve });
  });

  test('the last owner keeps the role, and may be given it again', () => {
    assert.deepEqual(judgeRoleChange([ann, eve], 'ann', 'member'), { kind: 'last_owner' });
    assert.deepEqual(judgeRoleChange([ann, eve], 'ann', 'owner'), { kind: 'done', member: ann });
  });

  test('a change of role tells the member with the new role', () => {
    assert.deepEqual(judgeRoleChange([ann, eve], 'eve', 'owner'), { kind: 'done', member: { ...eve, role: 'owner' } });
    assert.deepEqual(judgeRoleChange([ann, bob], 'bob', 'member'), {
      kind: 'done',
      member: { ...bob, role: 'member' },
    });
  });

  test('whoever is not among the members of the organization is missing', () => {
    assert.deepEqual(judgeRemoval([ann, bob], 'eve'), { kind: 'missing' });
    assert.deepEqual(judgeRoleChange([], 'ann', 'owner'), { kind: 'missing' });
  });

  test('only owners invite', () => {
    assert.deepEqual([mayInvite('owner'), mayInvite('member')], [true, false]);
  });
});
