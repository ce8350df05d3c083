-- One kind of migration, on a table that others are at work on.
CREATE INDEX things_id ON {schema}.things (id) WHERE id > 0;
