-- One kind of migration, on a table that others are at work on.
CREATE FUNCTION {schema}.two() RETURNS integer LANGUAGE sql AS $$ SELECT 2; $$;
