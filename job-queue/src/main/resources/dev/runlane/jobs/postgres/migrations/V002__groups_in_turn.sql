-- The groups that may be served next are found by an index, whatever their number. Rows of job_groups are written by
-- those alone who hold the lock of the queue's fetches. Whoever lets a job of a group wait, in whatever release of this
-- module, leaves a mark in a row of its own, so that nobody waits for anybody; fetches take the marks in.

-- ready: whether the group may have a job to hand out. priority, place: where its best job stands, or better; only read
-- while the group was never served.
ALTER TABLE {schema}.job_groups
  ADD COLUMN ready boolean NOT NULL DEFAULT false,
  ADD COLUMN priority double precision NOT NULL DEFAULT 0,
  ADD COLUMN place bigint NOT NULL DEFAULT 0;

CREATE INDEX job_groups_turn ON {schema}.job_groups (queue, served, priority, place) WHERE ready;

CREATE SEQUENCE {schema}.job_group_mark_numbers AS bigint CACHE 1;

CREATE TABLE {schema}.job_group_marks (
  queue text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  priority double precision NOT NULL,
  place bigint NOT NULL,
  CONSTRAINT job_group_marks_pkey PRIMARY KEY (queue, number)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_cost_delay = 0);

-- With the rights of its owner: the release before adds jobs under a role that knows none of these tables.
CREATE FUNCTION {schema}.mark_job_group() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO {schema}.job_group_marks (queue, number, group_id, priority, place)
  VALUES (NEW.queue, nextval('{schema}.job_group_mark_numbers'), NEW.group_id, NEW.priority, NEW.place);
  RETURN NULL;
END $$;

CREATE TRIGGER jobs_mark_added AFTER INSERT ON {schema}.jobs
  FOR EACH ROW WHEN (NEW.group_id IS NOT NULL AND NEW.state = 'waiting')
  EXECUTE FUNCTION {schema}.mark_job_group();

CREATE TRIGGER jobs_mark_waiting AFTER UPDATE OF state, priority, group_id ON {schema}.jobs
  FOR EACH ROW WHEN (NEW.group_id IS NOT NULL AND NEW.state = 'waiting' AND (
    OLD.state <> 'waiting' OR OLD.priority <> NEW.priority OR OLD.group_id IS DISTINCT FROM NEW.group_id))
  EXECUTE FUNCTION {schema}.mark_job_group();
