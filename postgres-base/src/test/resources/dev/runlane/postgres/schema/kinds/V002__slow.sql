-- Takes longer than some roles let a transaction take.
SELECT pg_sleep(0.5);
