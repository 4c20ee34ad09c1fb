-- Apart from the column, whose lock would keep all searches waiting meanwhile.
UPDATE contacts SET last_seen_at = seen.at
  FROM (SELECT bot_id, contact_id, max(last_seen_at) AS at FROM contact_tokens
    WHERE last_seen_at IS NOT NULL GROUP BY bot_id, contact_id) AS seen
  WHERE contacts.bot_id = seen.bot_id AND contacts.id = seen.contact_id;
