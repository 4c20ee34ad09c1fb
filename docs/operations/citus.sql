-- Distributes Roster's tables over the nodes of a Citus cluster, by bot. For Citus 13 and 14; scale-out.md
-- has the steps before and after it.
--
-- Run it once, as a superuser (not as Roster's role, which may not set what citus-settings.sql sets), on the coordinator, in the
-- database of DATABASE_URL, with all Roster servers stopped and after `roster migrate` as Roster's role (and after
-- `roster move to-postgres`, if there is data to bring along):
--
--   psql --set ON_ERROR_STOP=1 --file citus.sql postgres://postgres@coordinator.internal/roster
--
-- Before it: citus in shared_preload_libraries and wal_level = logical on every node; Roster's role, the database and in it
-- CREATE EXTENSION citus on every node; on every node a .pgpass with the passwords of Roster's role and of the superuser for all nodes
-- and for localhost; and on the coordinator, as the superuser,
--
--   SELECT citus_set_coordinator_host('coordinator.internal', 5432);
--   SELECT citus_add_node('worker-1.internal', 5432);
--   SELECT citus_add_node('worker-2.internal', 5432);
--
-- If a statement fails, fix the cause and continue with that statement: those before it have taken effect.

CREATE EXTENSION IF NOT EXISTS citus;

-- With foreign keys the order of the steps would matter, so they are dropped first and added again last.
ALTER TABLE bots DROP CONSTRAINT bots_organization_id_fkey;
ALTER TABLE secrets DROP CONSTRAINT secrets_organization_id_fkey;
ALTER TABLE members DROP CONSTRAINT members_organization_id_fkey;
ALTER TABLE sessions DROP CONSTRAINT sessions_member_id_fkey;
ALTER TABLE one_time_links DROP CONSTRAINT one_time_links_organization_id_fkey;
ALTER TABLE one_time_links DROP CONSTRAINT one_time_links_member_id_fkey;
ALTER TABLE audit_entries DROP CONSTRAINT audit_entries_organization_id_fkey;
ALTER TABLE contact_tokens DROP CONSTRAINT contact_tokens_bot_id_contact_id_fkey;

-- Small tables, most of which every request reads, are reference tables: each node has a copy.
SELECT create_reference_table('organizations');
SELECT create_reference_table('bots');
SELECT create_reference_table('secrets');
SELECT create_reference_table('members');
SELECT create_reference_table('sessions');
SELECT create_reference_table('one_time_links');
SELECT create_reference_table('audit_entries');
SELECT create_reference_table('bots_with_webhooks');

-- Tables distributed by bot, in one colocation group: all rows of a bot are on one node, and move together.
-- More shards than nodes, so that shards can move to added nodes; more nodes than shards would be idle.
SELECT create_distributed_table('bot_states', 'bot_id', colocate_with => 'none', shard_count => 64);
SELECT create_distributed_table('contacts', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('contact_tokens', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('attributes', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('tags', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('removed_fields', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('segments', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('contacts_by_day', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('events', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('webhooks', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('deliveries', 'bot_id', colocate_with => 'bot_states');
SELECT create_distributed_table('removed_webhooks', 'bot_id', colocate_with => 'bot_states');

-- The table `installation` stays an ordinary table of the coordinator: one row, which holds the number of the schema,
-- is locked by migrations and written by each check of /readyz and each purge. As a reference table each check would be a commit on
-- every node, and one dead worker would take all servers out of the load balancer. So does `sign_in_attempts`, which each
-- attempt to sign in writes.

-- Existing rows are on the nodes now; the coordinator's copies of them are no longer used.
SELECT truncate_local_data_after_distributing_table('contact_tokens');
SELECT truncate_local_data_after_distributing_table('contacts');
SELECT truncate_local_data_after_distributing_table('bot_states');
SELECT truncate_local_data_after_distributing_table('attributes');
SELECT truncate_local_data_after_distributing_table('tags');
SELECT truncate_local_data_after_distributing_table('removed_fields');
SELECT truncate_local_data_after_distributing_table('segments');
SELECT truncate_local_data_after_distributing_table('contacts_by_day');
SELECT truncate_local_data_after_distributing_table('events');
SELECT truncate_local_data_after_distributing_table('webhooks');
SELECT truncate_local_data_after_distributing_table('deliveries');
SELECT truncate_local_data_after_distributing_table('removed_webhooks');

-- Between reference tables, and within a bot: no foreign key crosses nodes.
ALTER TABLE bots ADD CONSTRAINT bots_organization_id_fkey
  FOREIGN KEY (organization_id) REFERENCES organizations (id);
ALTER TABLE secrets ADD CONSTRAINT secrets_organization_id_fkey
  FOREIGN KEY (organization_id) REFERENCES organizations (id);
ALTER TABLE members ADD CONSTRAINT members_organization_id_fkey
  FOREIGN KEY (organization_id) REFERENCES organizations (id);
ALTER TABLE sessions ADD CONSTRAINT sessions_member_id_fkey
  FOREIGN KEY (member_id) REFERENCES members (id) ON DELETE CASCADE;
ALTER TABLE one_time_links ADD CONSTRAINT one_time_links_organization_id_fkey
  FOREIGN KEY (organization_id) REFERENCES organizations (id);
ALTER TABLE one_time_links ADD CONSTRAINT one_time_links_member_id_fkey
  FOREIGN KEY (member_id) REFERENCES members (id) ON DELETE CASCADE;
ALTER TABLE audit_entries ADD CONSTRAINT audit_entries_organization_id_fkey
  FOREIGN KEY (organization_id) REFERENCES organizations (id);
ALTER TABLE contact_tokens ADD CONSTRAINT contact_tokens_bot_id_contact_id_fkey
  FOREIGN KEY (bot_id, contact_id) REFERENCES contacts (bot_id, id) ON DELETE CASCADE;

-- Timeouts and the like, on every node.
\ir citus-settings.sql

-- To be seen now: eight reference tables, and twelve distributed ones by bot_id with the same colocation_id.
SELECT table_name, citus_table_type, distribution_column, colocation_id, shard_count FROM citus_tables;
