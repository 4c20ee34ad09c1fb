// Moves all data between the engines that the settings name. Shows nothing: whoever watches the move does.
import { type MovedTable, MoveError, type MoveWatch } from '../store/move.ts';
import { type MoveDirection, moveStore } from '../store/open.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { type Config, ConfigError } from './config.ts';

export async function moveData(
  direction: MoveDirection,
  { dataDir, database }: Config,
  watch: MoveWatch,
): Promise<{ from: string; to: string; tables: MovedTable[] }> {
  if (database === undefined) {
    throw new ConfigError('Moving data needs DATABASE_URL, the address of PostgreSQL. See docs/operations/moving.md.');
  }
  try {
    return await moveStore(direction, { dataDir, database }, watch);
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    const { message, cause } = error;
    const reason = cause instanceof Error ? `${message} (${cause.message})` : message;
    throw new MoveError(`The move failed, and nothing was moved: ${reason}. Run it again.`, { cause: error });
  }
}
