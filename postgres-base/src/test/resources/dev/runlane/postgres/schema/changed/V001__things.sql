-- Things, written differently from what was released.
CREATE TABLE {schema}.things (id bigint NOT NULL, CONSTRAINT things_pkey PRIMARY KEY (id));
