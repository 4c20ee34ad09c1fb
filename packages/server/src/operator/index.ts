// The public entry for the command line: the service, and the operator's operations.
export { type Config, ConfigError, loadConfig } from '../process/config.ts';
export { moveData } from '../process/move-data.ts';
export { keepToSelf, migrate, start } from '../process/start.ts';
export { StartError } from '../process/start-error.ts';
export type { Member } from '../store/account-store.ts';
export type { Finding } from '../store/finding.ts';
export { MoveError, type MovePhase } from '../store/move.ts';
export type { MoveDirection } from '../store/open.ts';
export type { Bot, BotChanges, BotSettings, ListedBot, Organization, SecretState } from '../store/store.ts';
export { BackupError, StoreInUseError, StoreOpenError, StoreUnavailableError } from '../store/store.ts';
export { examine } from './doctor.ts';
export { type OperatorOptions, openOperator } from './open-operator.ts';
export {
  type OnProgress,
  type OpenInvitation,
  type Operator,
  OperatorError,
  type OperatorErrorCode,
} from './operator.ts';
export { type Restored, restore } from './restore.ts';
