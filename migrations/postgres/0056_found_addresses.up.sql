INSERT INTO schema_support (version, oldest_binary) VALUES (56, '0.1.0');

-- Whoever had moved to another address was found by the former one alone: the next server that
-- starts gives those a key who have none.
UPDATE users SET search_key = '' WHERE strpos(search_key, email_key) = 0;
