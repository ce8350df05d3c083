-- Minutes of throughput added up over 5 minutes and over an hour, so that a chart of a day or of two weeks reads few
-- rows. Who has added to a minute folds what is older than 10 minutes, in a statement of its own: nobody waits for it but
-- who adds to minutes that are 5 minutes old, and those alone add to folds too, by a trigger, whichever release they are of.
-- Between the two lies more than any statement may take. No run's own transaction touches any of it. The lock that making a trigger takes is waited for by those alone who add to
-- minutes, whom nobody waits for.
CREATE TABLE {schema}.throughput_folds (
  env integer NOT NULL,
  grain smallint NOT NULL,
  at timestamptz NOT NULL,
  queue text COLLATE "C" NOT NULL,
  task_id text COLLATE "C" NOT NULL,
  numbers bigint[] NOT NULL,
  CONSTRAINT throughput_folds_pkey PRIMARY KEY (env, grain, at, queue, task_id)
) WITH (fillfactor = 60);

-- Where the folds of each environment end, and how often minutes were added to that were 5 minutes old: a fold that has
-- begun meanwhile has not seen those, and is made again.
CREATE TABLE {schema}.throughput_folded (
  env integer NOT NULL,
  until timestamptz NOT NULL,
  late bigint NOT NULL,
  CONSTRAINT throughput_folded_pkey PRIMARY KEY (env)
) WITH (fillfactor = 50);

-- When the step of so many minutes begins that an instant is in.
CREATE FUNCTION {schema}.begin_of_step(p_at timestamptz, p_minutes integer) RETURNS timestamptz
  LANGUAGE sql STABLE AS $$ SELECT to_timestamp(floor(extract(epoch FROM p_at) / (60 * p_minutes)) * 60 * p_minutes) $$;

-- With the rights of the owner, because the role of a process of the release before knows nothing of the tables.
CREATE FUNCTION {schema}.fold_late_minutes() RETURNS trigger LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM 1 FROM now_there n WHERE n.minute < clock_timestamp() - interval '5 minutes';
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  INSERT INTO {schema}.throughput_folded AS f (env, until, late)
  SELECT DISTINCT n.env, timestamptz '-infinity', 1 FROM now_there n ORDER BY n.env
  ON CONFLICT (env) DO UPDATE SET late = f.late + 1;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO {schema}.throughput_folds AS f (env, grain, at, queue, task_id, numbers)
    SELECT s.env, s.grain, s.at, s.queue, s.task_id, array_agg(s.total ORDER BY s.place)
    FROM (
      SELECT n.env, g.grain, {schema}.begin_of_step(n.minute, g.grain) AS at, n.queue, n.task_id, x.place,
        sum(x.number)::bigint AS total
      FROM now_there n JOIN {schema}.throughput_folded d ON d.env = n.env AND n.minute < d.until
        CROSS JOIN (VALUES (5), (60)) AS g(grain)
        CROSS JOIN LATERAL unnest(n.numbers) WITH ORDINALITY AS x(number, place)
      GROUP BY 1, 2, 3, 4, 5, 6) s
    GROUP BY s.env, s.grain, s.at, s.queue, s.task_id
    ORDER BY s.env, s.grain, s.at, s.queue, s.task_id
    ON CONFLICT (env, grain, at, queue, task_id) DO UPDATE SET numbers = ARRAY(
      SELECT coalesce(x.old, 0) + coalesce(x.new, 0)
      FROM unnest(f.numbers, excluded.numbers) WITH ORDINALITY AS x(old, new, place) ORDER BY x.place);
  ELSE
    INSERT INTO {schema}.throughput_folds AS f (env, grain, at, queue, task_id, numbers)
    SELECT s.env, s.grain, s.at, s.queue, s.task_id, array_agg(s.total ORDER BY s.place)
    FROM (
      SELECT n.env, g.grain, {schema}.begin_of_step(n.minute, g.grain) AS at, n.queue, n.task_id, x.place,
        sum(coalesce(x.number, 0) - coalesce(x.before, 0))::bigint AS total
      FROM now_there n JOIN there_before b USING (env, minute, queue, task_id)
        JOIN {schema}.throughput_folded d ON d.env = n.env AND n.minute < d.until
        CROSS JOIN (VALUES (5), (60)) AS g(grain)
        CROSS JOIN LATERAL unnest(n.numbers, b.numbers) WITH ORDINALITY AS x(number, before, place)
      GROUP BY 1, 2, 3, 4, 5, 6) s
    GROUP BY s.env, s.grain, s.at, s.queue, s.task_id
    ORDER BY s.env, s.grain, s.at, s.queue, s.task_id
    ON CONFLICT (env, grain, at, queue, task_id) DO UPDATE SET numbers = ARRAY(
      SELECT coalesce(x.old, 0) + coalesce(x.new, 0)
      FROM unnest(f.numbers, excluded.numbers) WITH ORDINALITY AS x(old, new, place) ORDER BY x.place);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER fold_new_late_minutes AFTER INSERT ON {schema}.throughput_minutes
  REFERENCING NEW TABLE AS now_there FOR EACH STATEMENT EXECUTE FUNCTION {schema}.fold_late_minutes();
CREATE TRIGGER fold_more_of_late_minutes AFTER UPDATE ON {schema}.throughput_minutes
  REFERENCING OLD TABLE AS there_before NEW TABLE AS now_there
  FOR EACH STATEMENT EXECUTE FUNCTION {schema}.fold_late_minutes();
