-- One kind of migration, on a table that others are at work on.
ALTER TABLE {schema}.things ADD COLUMN more bigint NOT NULL DEFAULT 0;
