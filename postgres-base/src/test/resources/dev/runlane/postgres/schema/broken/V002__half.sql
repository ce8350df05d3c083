-- Fails after its first statement.
CREATE TABLE {schema}.half (id integer);
SELECT 1 / 0;
