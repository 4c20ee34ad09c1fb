// The public entry for the command line: the service, and the operator's operations.
export type { OperatorBot, OperatorMember, OperatorOrganization, OperatorSecret } from '@roster/contract';
export { type Config, ConfigError, loadConfig } from '../process/config.ts';
export { moveData } from '../process/move-data.ts';
export { keepToSelf, migrate, start } from '../process/start.ts';
export { StartError } from '../process/start-error.ts';
export type { Finding } from '../store/finding.ts';
export { MoveError, type MovePhase } from '../store/move.ts';
export type { MoveDirection } from '../store/open.ts';
export { BackupError, StoreInUseError, StoreOpenError, StoreUnavailableError } from '../store/store.ts';
export { runDoctor } from './doctor.ts';
export { type OperatorOptions, openOperator } from './open-operator.ts';
export type { OnProgress, Operator } from './operator.ts';
export { OperatorError } from './operator-error.ts';
export { type Restored, restore } from './restore.ts';
