-- What the widget's panel offers, and its greetings by language tag, both as JSON. Bots from before have neither.
ALTER TABLE bots ADD COLUMN channels text NOT NULL DEFAULT '[]';
ALTER TABLE bots ADD COLUMN greetings text NOT NULL DEFAULT '{}';
