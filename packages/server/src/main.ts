// The command: what is asked for, and the exit code that says how it went.
import { parseArgs } from 'node:util';
import { type Config, ConfigError, loadConfig } from './process/config.ts';
import { moveData } from './process/move-data.ts';
import { keepToSelf, migrate, start } from './process/start.ts';
import { StartError } from './process/start-error.ts';
import { MoveError } from './store/move.ts';
import { moveDirections } from './store/open.ts';
import { StoreOpenError } from './store/store.ts';

const cannotStartCode = 1;

const usage = `Usage:
  npm start                     serves
  npm start -- --workers 4      serves with 4 processes (PostgreSQL only)
  npm start -- --no-migrate     serves only if the schema is up to date
  npm run migrate               brings the schema up to date, and ends
  npm run move -- to-postgres   moves all data from ROSTER_DATA_DIR to DATABASE_URL, and checks it
  npm run move -- to-sqlite     moves all data from DATABASE_URL to ROSTER_DATA_DIR, and checks it

Settings are environment variables: see docs/configuration.md.
`;

async function run(): Promise<void> {
  keepToSelf();
  const { command, direction, flags } = readCommandLine();
  if (command === 'help') process.stdout.write(usage);
  else if (command === 'migrate') await migrateAndTell(loadConfig(flags));
  else if (direction !== undefined) await moveData(direction, loadConfig(flags));
  else await start(loadConfig(flags));
}

function readCommandLine() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        workers: { type: 'string' },
        'no-migrate': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    const command = values.help ? 'help' : positionals.join(' ') || 'serve';
    const direction = moveDirections.find((name) => command === `move ${name}`);
    if (!['help', 'serve', 'migrate'].includes(command) && direction === undefined) {
      throw new Error(`Unknown command "${command}"`);
    }
    const flags = {
      ...(values.workers !== undefined && { ROSTER_WORKERS: values.workers }),
      ...(values['no-migrate'] && { ROSTER_MIGRATE: 'false' }),
    };
    return { command, direction, flags };
  } catch (error) {
    throw new ConfigError(`${(error as Error).message}.\n${usage}`);
  }
}

async function migrateAndTell(config: Config): Promise<void> {
  const migration = await migrate(config);
  const isNews = migration !== undefined && migration.from !== migration.to;
  process.stdout.write(isNews ? `Schema ${migration.from} is now ${migration.to}.\n` : 'The schema is up to date.\n');
}

/** One line for what a person can mend; the whole stack for what is our own fault. */
function explain(error: unknown): string {
  const ownKinds = [ConfigError, StoreOpenError, StartError, MoveError];
  if (ownKinds.some((kind) => error instanceof kind)) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

try {
  await run();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(cannotStartCode);
}
