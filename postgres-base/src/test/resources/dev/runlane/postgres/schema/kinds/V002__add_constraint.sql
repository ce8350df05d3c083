-- One kind of migration, on a table that others are at work on.
ALTER TABLE {schema}.things ADD CONSTRAINT things_positive CHECK (id > 0) NOT VALID;
