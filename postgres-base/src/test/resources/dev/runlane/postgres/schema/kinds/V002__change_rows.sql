-- One kind of migration, on a table that others are at work on.
UPDATE {schema}.things SET id = id;
