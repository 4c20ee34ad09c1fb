-- What contacts have beside their fields. A number is given once to an attribute or a tag of a bot, and never again.
ALTER TABLE bot_states ADD COLUMN next_field bigint NOT NULL DEFAULT 1;

-- Counts change often: the rows have room for their next versions.
CREATE TABLE attributes (
  bot_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  type text NOT NULL,
  label text NOT NULL,
  description text NOT NULL,
  -- Exact, by the transaction of each write, as that of a tag is.
  contact_count bigint NOT NULL,
  PRIMARY KEY (bot_id, number),
  CONSTRAINT attributes_by_key UNIQUE (bot_id, key)
) WITH (fillfactor = 50);

CREATE TABLE tags (
  bot_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  -- The folded name.
  key text COLLATE "C" NOT NULL,
  name text NOT NULL,
  contact_count bigint NOT NULL,
  PRIMARY KEY (bot_id, number),
  CONSTRAINT tags_by_key UNIQUE (bot_id, key)
) WITH (fillfactor = 50);

-- Numbers of deleted attributes and tags that contacts may still hold.
CREATE TABLE removed_fields (
  bot_id text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  -- The id of the last contact that was looked at.
  position text COLLATE "C" NOT NULL DEFAULT '',
  PRIMARY KEY (bot_id, number)
);

-- A JSON object, number of the attribute to value, dates in milliseconds; and a JSON array of the numbers of tags. Null: none.
ALTER TABLE contacts ADD COLUMN attributes text, ADD COLUMN tags text;

-- By which filters find contacts: hashes of the bot, an attribute or a tag, and a value. Null: the contact has neither.
ALTER TABLE contacts ADD COLUMN filter_tokens bigint[];
CREATE INDEX contacts_filter ON contacts USING gin (filter_tokens) WHERE filter_tokens IS NOT NULL;

CREATE TABLE segments (
  bot_id text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  label text NOT NULL,
  query text NOT NULL,
  -- As JSON, by the keys of attributes and the names of tags.
  filter text NOT NULL,
  sort text NOT NULL,
  PRIMARY KEY (bot_id, key)
);

-- Where the tables by bot are distributed, these are too.
DO $$
DECLARE
  made name;
BEGIN
  IF EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
    FOREACH made IN ARRAY ARRAY['attributes', 'tags', 'removed_fields', 'segments'] LOOP
      EXECUTE format($citus$
        SELECT create_distributed_table(%L, 'bot_id', colocate_with => 'bot_states')
        FROM citus_tables WHERE table_name = 'bot_states'::regclass AND citus_table_type = 'distributed'
      $citus$, made);
    END LOOP;
  END IF;
END $$;
