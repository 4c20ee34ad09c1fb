// What errors of the database mean: whether our own connection is lost, or a node behind it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import pg from 'pg';
import { StoreUnavailableError } from '../store.ts';
import { ConflictError, isCommitUnknown, LostConnectionError, LostNodeError, mapDriverError } from './driver-errors.ts';

function databaseError(severity: string, code: string, message: string, where?: string): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, message.length, 'error'), { severity, code, where });
}

/** As Citus 13 reports them. */
const ofNodes: [code: string, message: string, where?: string][] = [
  ['08006', 'connection to the remote node postgres@worker-1:5432 failed with the following error: Connection refused'],
  ['08006', 'could not establish any connections to the node worker-1:5432 after 2000 ms'],
  ['57P01', 'terminating connection due to administrator command', 'while executing command on worker-1:5432'],
  ['25006', 'cannot execute UPDATE in a read-only transaction', 'while executing command on worker-1:5432'],
  ['XX000', 'SSL SYSCALL error: EOF detected', 'while executing command on worker-1:5432'],
  ['XX000', 'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally'],
  ['XX000', 'could not receive data from server: Connection reset by peer'],
  ['XX000', 'failure on connection marked as essential: worker-1:5432'],
  ['XX000', 'could not commit transaction for shard 102008 on at least one active node'],
];

suite('errors of the database', () => {
  for (const [code, message, where] of ofNodes) {
    test(`${code} "${message.slice(0, 40)}" as an ERROR is a lost node`, () => {
      const mapped = mapDriverError(databaseError('ERROR', code, message, where));
      assert.ok(mapped instanceof LostNodeError, String(mapped));
      assert.ok(isCommitUnknown(mapped));
    });
  }

  for (const [severity, code, message] of [
    ['FATAL', '08006', 'connection to client lost'],
    ['FATAL', '57P01', 'terminating connection due to administrator command'],
    ['PANIC', '57P02', 'crash'],
    ['FATAL', '08P01', 'server conn crashed?'],
    ['ERROR', '25006', 'cannot execute UPDATE in a read-only transaction'],
  ] as const) {
    test(`${severity} ${code} is a lost connection`, () => {
      assert.ok(mapDriverError(databaseError(severity, code, message)) instanceof LostConnectionError);
    });
  }

  test('other internal errors stay as they are', () => {
    const error = databaseError('ERROR', 'XX000', 'cache lookup failed for type 0');
    assert.equal(mapDriverError(error), error);
  });

  test('a COMMIT that ran into a timeout may have been carried out, one that conflicted was not', () => {
    const timeout = mapDriverError(databaseError('ERROR', '57014', 'canceling statement due to statement timeout'));
    assert.ok(timeout instanceof StoreUnavailableError && !(timeout instanceof LostNodeError));
    assert.ok(isCommitUnknown(timeout));
    const conflict = mapDriverError(databaseError('ERROR', '40001', 'could not serialize access'));
    assert.ok(conflict instanceof ConflictError);
    assert.ok(!isCommitUnknown(conflict));
  });
});
