-- One kind of migration, on a table that others are at work on.
ALTER TABLE {schema}.things ADD COLUMN gone text;
ALTER TABLE {schema}.things DROP COLUMN gone;
