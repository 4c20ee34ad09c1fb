// The PostgreSQL engine on tables partitioned by bot, the stand-in for a sharded database: the promises of every store.
// It takes some 25 CPU-seconds, as postgres-store.test.ts does.
import { postgresEngine } from '../../../test/postgres/engine.ts';
import { testExportPages } from '../../../test/postgres/query-plans.ts';
import { testStore } from '../../../test/store-conformance.ts';

testStore(postgresEngine('partitioned'));
testExportPages('partitioned');
