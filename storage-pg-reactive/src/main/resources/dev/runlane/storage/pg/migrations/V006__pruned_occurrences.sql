-- Up to which fire occurrences of a schedule id were removed: what is not there and fired by then is over. Whoever held a
-- fire for open that others completed long ago would make its run again otherwise.
CREATE TABLE {schema}.pruned_occurrences (
  env integer NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  through timestamptz NOT NULL,
  CONSTRAINT pruned_occurrences_pkey PRIMARY KEY (env, schedule_id)
);

-- A trigger, because processes of the release before claim too; with the rights of its owner, because their role may know
-- nothing of the table. The row is locked before the table is asked: whoever removes it has then either committed, and the
-- next statement sees up to where, or passes the row over.
CREATE FUNCTION {schema}.refuse_pruned_occurrence() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM 1 FROM {schema}.schedule_occurrences o
  WHERE o.env = NEW.env AND o.occurrence_id = NEW.occurrence_id FOR KEY SHARE;
  IF NOT FOUND AND EXISTS (SELECT 1 FROM {schema}.pruned_occurrences p
      WHERE p.env = NEW.env AND p.schedule_id = NEW.schedule_id AND p.through >= NEW.fire_at) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER refuse_pruned_occurrence BEFORE INSERT ON {schema}.schedule_occurrences
  FOR EACH ROW EXECUTE FUNCTION {schema}.refuse_pruned_occurrence();
