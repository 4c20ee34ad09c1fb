-- What the widget's panel offers, and its greetings by language tag, both as JSON. Bots from before have neither.
ALTER TABLE bots ADD COLUMN channels TEXT NOT NULL DEFAULT '[]';
ALTER TABLE bots ADD COLUMN greetings TEXT NOT NULL DEFAULT '{}';
