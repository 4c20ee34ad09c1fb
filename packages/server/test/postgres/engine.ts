// PostgreSQL as an engine under test: each store has a database of its own.
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts';
import { type Engine, postgresUnderLoad, reopenable } from '../conformance/engine.ts';
import { createDatabase, type DatabaseKind, query } from './databases.ts';

export function postgresEngine(kind: DatabaseKind): Engine {
  return {
    heeds: ['indexThreshold', 'quickEffortMax'],
    name: kind === 'plain' ? 'PostgreSQL' : 'PostgreSQL, partitioned by bot',
    async open({ indexThreshold, quickEffortMax, isSerial = false } = {}) {
      const { url, drop } = await createDatabase(kind, { passesForLarge: indexThreshold !== undefined });
      // One connection for each kind of work.
      const settings = {
        url,
        ...postgresUnderLoad,
        ...(isSerial && { connections: 3 }),
        ...(quickEffortMax !== undefined && { broadFrom: quickEffortMax }),
      };
      const opened = await reopenable(() => openPostgresStore(settings), drop);
      return Object.assign(opened, {
        async countRows() {
          const [row] = await query(
            url,
            `SELECT ((SELECT count(*) FROM contacts) + (SELECT count(*) FROM contact_tokens)
              + (SELECT count(*) FROM bot_states)
              + (SELECT count(*) FROM attributes) + (SELECT count(*) FROM tags)
              + (SELECT count(*) FROM removed_fields)
              + (SELECT count(*) FROM segments) + (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM deliveries)
              + (SELECT count(*) FROM removed_webhooks) + (SELECT count(*) FROM bots_with_webhooks))::int AS count`,
          );
          return row.count as number;
        },
      });
    },
  };
}
