-- Things get names; several statements and a body between dollars go through as they are.
ALTER TABLE {schema}.things ADD COLUMN name text;
CREATE FUNCTION {schema}.one() RETURNS integer LANGUAGE sql AS $$ SELECT 1; $$;
