-- A session with standard_conforming_strings = off reads the backslashes of these functions' texts in another way, and
-- trigger() refused every payload there. A setting of the function counts for all that it calls; require_json has one of
-- its own, since its plan stays with the session whoever called it first. Only rows of the catalogue: nobody waits for a
-- lock.
ALTER FUNCTION {schema}.require_json(text, text, integer) SET standard_conforming_strings = on;
ALTER FUNCTION {schema}.trigger(text, jsonb, text, timestamptz, text, interval, text, text, jsonb, jsonb, jsonb, text,
  boolean, text) SET standard_conforming_strings = on;
