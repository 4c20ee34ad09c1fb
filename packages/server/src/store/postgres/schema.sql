-- Made by scripts/dump-schema.ts from the migrations. Do not edit.

CREATE TABLE attributes (
  bot_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  type text NOT NULL,
  label text NOT NULL,
  description text NOT NULL,
  contact_count bigint NOT NULL,
  choices text,
  CONSTRAINT attributes_by_key UNIQUE (bot_id, key),
  CONSTRAINT attributes_pkey PRIMARY KEY (bot_id, number)
) WITH (fillfactor=50);

CREATE TABLE audit_entries (
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  action text NOT NULL,
  actor_kind text NOT NULL,
  actor_id text COLLATE "C",
  actor_name text NOT NULL,
  object_id text COLLATE "C",
  object_name text NOT NULL,
  address text,
  count bigint NOT NULL,
  merged_ids text[] COLLATE "C" NOT NULL DEFAULT '{}'::text[],
  filter text,
  task text,
  created bigint,
  updated bigint,
  CONSTRAINT audit_entries_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT audit_entries_pkey PRIMARY KEY (id)
);

CREATE INDEX audit_entries_by_organization ON public.audit_entries USING btree (organization_id, id);

CREATE INDEX audit_entries_by_time ON public.audit_entries USING btree (organization_id, at, id);

CREATE TABLE bot_states (
  bot_id text COLLATE "C" NOT NULL,
  contact_count bigint NOT NULL DEFAULT 0,
  last_created_us bigint NOT NULL DEFAULT 0,
  next_field bigint NOT NULL DEFAULT 1,
  widget_loaded_at bigint,
  visitor_recognized_at bigint,
  created_last_day bigint NOT NULL DEFAULT 0,
  last_event bigint NOT NULL DEFAULT 0,
  event_history text NOT NULL DEFAULT ''::text,
  CONSTRAINT bot_states_pkey PRIMARY KEY (bot_id)
) WITH (fillfactor=50);

CREATE TABLE bots (
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  greeting text NOT NULL,
  color text NOT NULL,
  "position" text NOT NULL,
  allowed_origins text NOT NULL,
  created_at bigint NOT NULL,
  deleted_at bigint,
  channels text NOT NULL DEFAULT '[]'::text,
  greetings text NOT NULL DEFAULT '{}'::text,
  token_max_seconds integer NOT NULL DEFAULT 31536000,
  CONSTRAINT bots_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT bots_pkey PRIMARY KEY (id)
);

CREATE INDEX bots_deleted ON public.bots USING btree (id) WHERE (deleted_at IS NOT NULL);

CREATE TABLE bots_with_webhooks (
  id text COLLATE "C" NOT NULL,
  CONSTRAINT bots_with_webhooks_pkey PRIMARY KEY (id)
);

CREATE TABLE contact_tokens (
  bot_id text COLLATE "C" NOT NULL,
  hash bytea NOT NULL,
  contact_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  last_seen_at bigint,
  CONSTRAINT contact_tokens_bot_id_contact_id_fkey FOREIGN KEY (bot_id, contact_id) REFERENCES contacts(bot_id, id) ON DELETE CASCADE,
  CONSTRAINT contact_tokens_pkey PRIMARY KEY (bot_id, hash)
);

CREATE INDEX contact_tokens_by_contact ON public.contact_tokens USING btree (bot_id, contact_id);

CREATE INDEX contact_tokens_by_expiry ON public.contact_tokens USING btree (bot_id, expires_at);

CREATE INDEX contact_tokens_by_last_seen ON public.contact_tokens USING btree (bot_id, last_seen_at, contact_id) WHERE (last_seen_at IS NOT NULL);

CREATE TABLE contacts (
  bot_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  email_key text COLLATE "C" NOT NULL,
  phone text NOT NULL,
  mid text NOT NULL,
  wid text NOT NULL,
  created_us bigint NOT NULL,
  updated_at bigint NOT NULL,
  search_text text COLLATE "C" NOT NULL,
  search_tokens integer[] NOT NULL,
  attributes text,
  tags text,
  filter_tokens bigint[],
  last_seen_at bigint,
  CONSTRAINT contacts_by_email UNIQUE (bot_id, email_key),
  CONSTRAINT contacts_pkey PRIMARY KEY (bot_id, id)
);

CREATE INDEX contacts_by_name ON public.contacts USING btree (bot_id, "left"(split_part(search_text, '
'::text, 1), 64), id);

CREATE INDEX contacts_by_update ON public.contacts USING btree (bot_id, updated_at, id);

CREATE INDEX contacts_filter ON public.contacts USING gin (filter_tokens) WHERE (filter_tokens IS NOT NULL);

CREATE INDEX contacts_search ON public.contacts USING gin (search_tokens);

CREATE TABLE contacts_by_day (
  bot_id text COLLATE "C" NOT NULL,
  day bigint NOT NULL,
  created_count bigint NOT NULL,
  CONSTRAINT contacts_by_day_pkey PRIMARY KEY (bot_id, day)
);

CREATE TABLE deliveries (
  bot_id text COLLATE "C" NOT NULL,
  webhook_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL,
  event text NOT NULL,
  status text COLLATE "C" NOT NULL,
  attempts integer NOT NULL,
  created_at bigint NOT NULL,
  attempted_at bigint,
  due_at bigint,
  status_code integer,
  response text,
  error text,
  contact_id text COLLATE "C" NOT NULL DEFAULT ''::text,
  deferral integer NOT NULL DEFAULT 0,
  earlier_attempts text,
  CONSTRAINT deliveries_pkey PRIMARY KEY (bot_id, webhook_id, number)
);

CREATE INDEX deferred_deliveries ON public.deliveries USING btree (bot_id, webhook_id, contact_id, deferral, number) WHERE (deferral > 0);

CREATE INDEX deliveries_by_event ON public.deliveries USING btree (event_id);

CREATE INDEX delivery_responses ON public.deliveries USING btree (bot_id, contact_id) WHERE (response IS NOT NULL);

CREATE INDEX due_deliveries ON public.deliveries USING btree (bot_id, webhook_id, due_at) WHERE (deferral = 1);

CREATE INDEX failed_deliveries ON public.deliveries USING btree (bot_id, webhook_id, number) WHERE (status = 'failed'::text);

CREATE INDEX fresh_deliveries ON public.deliveries USING btree (bot_id, webhook_id, number) WHERE ((status = 'pending'::text) AND (deferral = 0));

CREATE INDEX pending_deliveries ON public.deliveries USING btree (bot_id, webhook_id, number) WHERE (status = 'pending'::text);

CREATE INDEX skipped_deliveries ON public.deliveries USING btree (bot_id, webhook_id, number) WHERE (status = 'skipped'::text);

CREATE INDEX succeeded_deliveries ON public.deliveries USING btree (bot_id, webhook_id, number) WHERE (status = 'succeeded'::text);

CREATE TABLE events (
  bot_id text COLLATE "C" NOT NULL,
  last bigint NOT NULL,
  count integer NOT NULL,
  at bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  body text NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (bot_id, last)
);

CREATE TABLE installation (
  id smallint NOT NULL,
  schema_version integer NOT NULL,
  checked_at bigint NOT NULL,
  purged_at bigint,
  purging_paused_until bigint,
  CONSTRAINT installation_id_check CHECK ((id = 1)),
  CONSTRAINT installation_pkey PRIMARY KEY (id)
);

CREATE TABLE members (
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  email_key text COLLATE "C" NOT NULL,
  role text NOT NULL,
  password_hash text NOT NULL,
  created_at bigint NOT NULL,
  last_sign_in_at bigint,
  CONSTRAINT members_by_email UNIQUE (email_key, organization_id),
  CONSTRAINT members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT members_pkey PRIMARY KEY (id)
);

CREATE INDEX members_by_organization ON public.members USING btree (organization_id, id);

CREATE INDEX members_owners ON public.members USING btree (organization_id) WHERE (role = 'owner'::text);

CREATE TABLE one_time_links (
  hash bytea NOT NULL,
  kind text NOT NULL,
  id text COLLATE "C",
  organization_id text COLLATE "C",
  member_id text COLLATE "C",
  email text,
  email_key text COLLATE "C",
  role text,
  invited_by text,
  created_at bigint NOT NULL,
  expires_at bigint,
  secret_id text COLLATE "C",
  CONSTRAINT one_time_links_id_key UNIQUE (id),
  CONSTRAINT one_time_links_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  CONSTRAINT one_time_links_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT one_time_links_pkey PRIMARY KEY (hash)
);

CREATE INDEX one_time_links_by_expiry ON public.one_time_links USING btree (expires_at);

CREATE INDEX one_time_links_by_member ON public.one_time_links USING btree (member_id);

CREATE INDEX one_time_links_by_organization ON public.one_time_links USING btree (organization_id, id);

CREATE INDEX one_time_links_by_secret ON public.one_time_links USING btree (secret_id) WHERE (secret_id IS NOT NULL);

CREATE TABLE organizations (
  id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  created_at bigint NOT NULL,
  members_may_manage_webhooks integer NOT NULL DEFAULT 0,
  CONSTRAINT organizations_pkey PRIMARY KEY (id)
);

CREATE TABLE removed_fields (
  bot_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  "position" text COLLATE "C" NOT NULL DEFAULT ''::text,
  CONSTRAINT removed_fields_pkey PRIMARY KEY (bot_id, number)
);

CREATE TABLE removed_webhooks (
  bot_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  CONSTRAINT removed_webhooks_pkey PRIMARY KEY (bot_id, id)
);

CREATE TABLE secrets (
  id text COLLATE "C" NOT NULL,
  organization_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  hash bytea NOT NULL,
  created_by text,
  created_at bigint NOT NULL,
  expires_at bigint,
  revoked_at bigint,
  last_used_at bigint,
  permissions text NOT NULL DEFAULT '["contacts:read","contacts:write","tokens:write"]'::text,
  bots text,
  creator_id text COLLATE "C",
  parent_id text COLLATE "C",
  CONSTRAINT secrets_hash_key UNIQUE (hash),
  CONSTRAINT secrets_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id),
  CONSTRAINT secrets_pkey PRIMARY KEY (id)
);

CREATE INDEX secrets_by_creator ON public.secrets USING btree (creator_id) WHERE (creator_id IS NOT NULL);

CREATE INDEX secrets_by_parent ON public.secrets USING btree (parent_id) WHERE (parent_id IS NOT NULL);

CREATE TABLE segments (
  bot_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  label text NOT NULL,
  query text NOT NULL,
  filter text NOT NULL,
  sort text NOT NULL,
  CONSTRAINT segments_pkey PRIMARY KEY (bot_id, key)
);

CREATE TABLE sessions (
  hash bytea NOT NULL,
  member_id text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint NOT NULL,
  last_seen_at bigint NOT NULL,
  browser text NOT NULL DEFAULT ''::text,
  address text,
  confirmed_at bigint,
  token_hash bytea,
  previous_hash bytea,
  previous_until bigint,
  CONSTRAINT sessions_member_id_fkey FOREIGN KEY (member_id) REFERENCES members(id) ON DELETE CASCADE,
  CONSTRAINT sessions_pkey PRIMARY KEY (hash)
);

CREATE INDEX sessions_by_expiry ON public.sessions USING btree (expires_at);

CREATE INDEX sessions_by_member ON public.sessions USING btree (member_id);

CREATE INDEX sessions_by_previous_token ON public.sessions USING btree (previous_hash) WHERE (previous_hash IS NOT NULL);

CREATE UNIQUE INDEX sessions_by_token ON public.sessions USING btree (token_hash);

CREATE TABLE sign_in_attempts (
  key text COLLATE "C" NOT NULL,
  last_at bigint NOT NULL,
  forgiven_at bigint NOT NULL,
  CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (key)
);

CREATE INDEX sign_in_attempts_by_time ON public.sign_in_attempts USING btree (forgiven_at);

CREATE TABLE tags (
  bot_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  contact_count bigint NOT NULL,
  CONSTRAINT tags_by_key UNIQUE (bot_id, key),
  CONSTRAINT tags_pkey PRIMARY KEY (bot_id, number)
) WITH (fillfactor=50);

CREATE TABLE webhooks (
  bot_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  url text NOT NULL,
  types text,
  description text NOT NULL,
  is_enabled integer NOT NULL,
  disabled_reason text,
  failing_since bigint,
  secret text NOT NULL,
  old_secret text,
  old_secret_until bigint,
  created_at bigint NOT NULL,
  "position" bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 1,
  owner text COLLATE "C",
  created_by text,
  changed_by text,
  leased_until bigint NOT NULL DEFAULT 0,
  CONSTRAINT webhooks_pkey PRIMARY KEY (bot_id, id)
);
