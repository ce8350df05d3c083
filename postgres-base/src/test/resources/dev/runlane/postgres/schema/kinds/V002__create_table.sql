-- One kind of migration, on a table that others are at work on.
CREATE TABLE {schema}.others (id integer NOT NULL, CONSTRAINT others_pkey PRIMARY KEY (id));
CREATE INDEX others_id ON {schema}.others (id);
