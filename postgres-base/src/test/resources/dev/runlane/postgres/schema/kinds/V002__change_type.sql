-- Of a column that a view may be about.
ALTER TABLE {schema}.things ALTER COLUMN id TYPE numeric;
