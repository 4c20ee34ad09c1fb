-- From here on, pieces of one and two characters with one beyond ASCII are among a contact's search_tokens. This adds
-- them to the contacts that are there already, and repeats for that the hash of search-tokens.ts: FNV-1a over UTF-16
-- code units. Each UPDATE names one bot and holds nothing but values, so that a sharded database can do it too.
DO $$
DECLARE
  prime CONSTANT bigint := 16777619;
  mask CONSTANT bigint := 4294967295;
  contact record;
  letter text;
  code integer;
  unit integer;
  units integer[];
  bot_hash bigint;
  -- Of this letter, of the one before, and of both together.
  own_hash bigint;
  previous_hash bigint;
  pair_hash bigint;
  is_previous_ascii boolean;
  pieces bigint[];
  tokens integer[];
BEGIN
  FOR contact IN
    SELECT bot_id, id, search_text FROM contacts WHERE octet_length(search_text) > char_length(search_text)
  LOOP
    bot_hash := 2166136261;
    FOREACH letter IN ARRAY string_to_array(contact.bot_id, NULL) LOOP
      bot_hash := ((bot_hash # ascii(letter)) * prime) & mask;
    END LOOP;
    pieces := '{}';
    previous_hash := NULL;
    FOREACH letter IN ARRAY string_to_array(contact.search_text, NULL) LOOP
      code := ascii(letter);
      IF code <= 32 THEN
        previous_hash := NULL;
        CONTINUE;
      END IF;
      units := CASE WHEN code < 65536 THEN ARRAY[code]
        ELSE ARRAY[55296 + ((code - 65536) >> 10), 56320 + ((code - 65536) & 1023)] END;
      own_hash := bot_hash;
      pair_hash := previous_hash;
      FOREACH unit IN ARRAY units LOOP
        own_hash := ((own_hash # unit) * prime) & mask;
        pair_hash := ((pair_hash # unit) * prime) & mask;
      END LOOP;
      IF code > 127 THEN
        pieces := pieces || own_hash;
      END IF;
      IF pair_hash IS NOT NULL AND (code > 127 OR NOT is_previous_ascii) THEN
        pieces := pieces || pair_hash;
      END IF;
      previous_hash := own_hash;
      is_previous_ascii := code <= 127;
    END LOOP;
    -- As integers with a sign.
    tokens := ARRAY(SELECT DISTINCT (piece - CASE WHEN piece >> 31 = 1 THEN 4294967296 ELSE 0 END)::integer
      FROM unnest(pieces) AS piece);
    UPDATE contacts SET search_tokens = search_tokens || tokens WHERE bot_id = contact.bot_id AND id = contact.id;
  END LOOP;
END $$;
