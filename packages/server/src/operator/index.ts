// The public entry for the command line. It must not load the web framework: in-process.ts and process/start.ts do.
export { type Config, ConfigError, loadConfig } from '../config/config.ts';
export { describeProvisioned, ProvisioningFileError, provisionWithFiles } from '../process/provisioning.ts';
export { socketAddress, socketFile } from '../process/socket-path.ts';
export { keepToSelf, migrate, moveData, start } from '../process/start.ts';
export { StartError } from '../process/start-error.ts';
export type { Finding } from '../store/finding.ts';
export { MoveError, type MovePhase } from '../store/move.ts';
export { databaseFile, type MoveDirection, restoreStore } from '../store/open.ts';
export { BackupError, StoreInUseError, StoreOpenError, StoreUnavailableError } from '../store/store.ts';
export { runDoctor } from './doctor.ts';
export { checkHealth } from './health.ts';
