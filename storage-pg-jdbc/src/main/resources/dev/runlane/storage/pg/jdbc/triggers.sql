-- name: notify_run
-- Tells listening processes of a run when the transaction commits.
SELECT {schema}.notify_run(:environment, :run_id, :queue, :now, :trace_carrier)
