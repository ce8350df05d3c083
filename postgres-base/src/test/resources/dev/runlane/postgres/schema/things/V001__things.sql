-- Things, to have something to migrate.
CREATE TABLE {schema}.things (id integer NOT NULL, CONSTRAINT things_pkey PRIMARY KEY (id));
