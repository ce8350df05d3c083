-- One kind of migration, on a table that others are at work on.
CREATE FUNCTION {schema}.told() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER told AFTER INSERT ON {schema}.things FOR EACH STATEMENT EXECUTE FUNCTION {schema}.told();
