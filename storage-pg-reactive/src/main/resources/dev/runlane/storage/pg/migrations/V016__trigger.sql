-- Triggers by SQL alone, for cron jobs, triggers of tables and programs in any language: trigger() writes, in the
-- transaction of whoever calls it, the rows that a trigger of a Java process writes. Functions only: nobody waits for
-- a lock, and processes of the release before neither see nor need them.

-- Refuses what is no id or key, as all who create runs do.
CREATE FUNCTION {schema}.require_key(p_what text, p_value text, p_most_bytes integer)
  RETURNS void LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_value IS NULL OR p_value = '' THEN
    RAISE EXCEPTION '% must not be empty', p_what USING ERRCODE = 'RL002';
  ELSIF strpos(p_value, ':') > 0 THEN
    RAISE EXCEPTION '% must not contain '':'', which is reserved', p_what USING ERRCODE = 'RL002';
  ELSIF octet_length(convert_to(p_value, 'UTF8')) > p_most_bytes THEN
    RAISE EXCEPTION '% must have at most % bytes of UTF-8', p_what, p_most_bytes USING ERRCODE = 'RL002';
  END IF;
END $$;

-- Refuses a value that is too large or nested too deep. Each turn takes the innermost level away.
CREATE FUNCTION {schema}.require_json(p_what text, p_value text, p_most_bytes integer)
  RETURNS void LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  brackets text;
  bytes integer := octet_length(convert_to(p_value, 'UTF8'));
BEGIN
  IF bytes > p_most_bytes THEN
    RAISE EXCEPTION '% must have at most % bytes of UTF-8, but has %', p_what, p_most_bytes, bytes
      USING ERRCODE = 'RL002';
  END IF;
  brackets := translate(regexp_replace(regexp_replace(p_value, '"(?:[^"\\]|\\.)*"', '', 'g'), '[^][{}]+', '', 'g'),
    '{}', '[]');
  FOR level IN 1..64 LOOP
    EXIT WHEN brackets = '';
    brackets := replace(brackets, '[]', '');
  END LOOP;
  IF brackets <> '' THEN
    RAISE EXCEPTION '% is nested deeper than 64 levels', p_what USING ERRCODE = 'RL002';
  END IF;
END $$;

-- Refuses anything but an object of texts.
CREATE FUNCTION {schema}.require_texts(p_what text, p_value jsonb)
  RETURNS void LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF jsonb_typeof(p_value) <> 'object' OR EXISTS (
      SELECT 1 FROM jsonb_each(CASE WHEN jsonb_typeof(p_value) = 'object' THEN p_value ELSE '{}' END) AS e(name, value)
      WHERE jsonb_typeof(e.value) <> 'string') THEN
    RAISE EXCEPTION '% must be a JSON object whose values are texts', p_what USING ERRCODE = 'RL002';
  END IF;
END $$;

-- A prefix and 26 characters that sort by time: 48 bits of millis, then 80 random ones.
CREATE FUNCTION {schema}.time_ordered_id(p_prefix text, p_at timestamptz)
  RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  alphabet CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  millis bigint := floor(extract(epoch FROM p_at) * 1000);
  random bytea := sha256(uuid_send(gen_random_uuid()));
  id text := '';
BEGIN
  FOR place IN 0..9 LOOP
    id := substr(alphabet, (millis & 31)::integer + 1, 1) || id;
    millis := millis >> 5;
  END LOOP;
  FOR place IN 0..15 LOOP
    id := id || substr(alphabet, (get_byte(random, place) & 31) + 1, 1);
  END LOOP;
  RETURN p_prefix || id;
END $$;

-- As Java writes an instant: with three or six digits of a second, or none.
CREATE FUNCTION {schema}.instant_text(p_at timestamptz)
  RETURNS text LANGUAGE sql STABLE AS $$
  SELECT regexp_replace(
    regexp_replace(to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '000Z$', 'Z'), '\.000Z$', 'Z')
$$;

-- As Java writes a duration: in the largest unit that leaves no rest.
CREATE FUNCTION {schema}.duration_text(p_millis bigint)
  RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN p_millis % 604800000 = 0 THEN p_millis / 604800000 || 'w'
    WHEN p_millis % 86400000 = 0 THEN p_millis / 86400000 || 'd'
    WHEN p_millis % 3600000 = 0 THEN p_millis / 3600000 || 'h'
    WHEN p_millis % 60000 = 0 THEN p_millis / 60000 || 'm'
    WHEN p_millis % 1000 = 0 THEN p_millis / 1000 || 's'
    ELSE p_millis || 'ms' END
$$;

-- A field and a comma, or nothing for null.
CREATE FUNCTION {schema}.json_field(p_name text, p_json text)
  RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_json IS NULL THEN '' ELSE '"' || p_name || '":' || p_json || ',' END
$$;

-- The live owner of an idempotency key, or null.
CREATE FUNCTION {schema}.idempotency_owner(p_env integer, p_task text, p_key text, p_now timestamptz)
  RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT o.run_id FROM {schema}.idempotency_owners o
  WHERE o.env = p_env AND o.task_id = p_task AND o.idempotency_key = p_key
    AND (EXISTS (SELECT 1 FROM {schema}.active_runs a WHERE a.env = o.env AND a.run_id = o.run_id)
      OR (o.expires_at > p_now AND EXISTS (SELECT 1 FROM {schema}.terminal_runs t
        WHERE t.env = o.env AND t.run_id = o.run_id AND t.status <> 'failed')))
$$;

-- The live owner of a singleton key, or null.
CREATE FUNCTION {schema}.singleton_owner(p_env integer, p_task text, p_key text)
  RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT o.run_id FROM {schema}.singleton_owners o
  WHERE o.env = p_env AND o.task_id = p_task AND o.singleton_key = p_key
    AND EXISTS (SELECT 1 FROM {schema}.active_runs a WHERE a.env = o.env AND a.run_id = o.run_id)
$$;

-- Takes the keys of a run, idempotency first as all do; false when somebody else has one. Who waits here for a
-- competing creation sees afterwards that its run has not ended, and loses. One won and another lost is RL001, so
-- that the first is given back.
CREATE FUNCTION {schema}.take_keys(p_env integer, p_task text, p_run_id text, p_idempotency_key text,
    p_expires_at timestamptz, p_singleton_key text, p_now timestamptz)
  RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF p_idempotency_key IS NOT NULL THEN
    INSERT INTO {schema}.idempotency_owners AS o (env, task_id, idempotency_key, run_id, created_at, expires_at)
    VALUES (p_env, p_task, p_idempotency_key, p_run_id, p_now, p_expires_at)
    ON CONFLICT (env, task_id, idempotency_key) DO UPDATE
      SET run_id = excluded.run_id, created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE (SELECT t.status = 'failed' OR o.expires_at <= excluded.created_at
        FROM {schema}.terminal_runs t WHERE t.env = o.env AND t.run_id = o.run_id LIMIT 1);
    IF NOT FOUND THEN
      RETURN false;
    END IF;
  END IF;
  IF p_singleton_key IS NOT NULL THEN
    INSERT INTO {schema}.singleton_owners AS o (env, task_id, singleton_key, run_id)
    VALUES (p_env, p_task, p_singleton_key, p_run_id)
    ON CONFLICT (env, task_id, singleton_key) DO UPDATE SET run_id = excluded.run_id
      WHERE (SELECT true FROM {schema}.terminal_runs t WHERE t.env = o.env AND t.run_id = o.run_id LIMIT 1);
    IF NOT FOUND THEN
      RETURN p_idempotency_key IS NOT NULL AND {schema}.partial_ownership();
    END IF;
  END IF;
  RETURN true;
END $$;

-- The number of an environment, made where nobody has used it yet.
CREATE FUNCTION {schema}.environment_number(p_environment text)
  RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  number integer;
BEGIN
  SELECT e.env INTO number FROM {schema}.environments e WHERE e.environment_key = p_environment;
  IF number IS NULL THEN
    INSERT INTO {schema}.environments (environment_key) VALUES (p_environment)
    ON CONFLICT (environment_key) DO NOTHING;
    SELECT e.env INTO number FROM {schema}.environments e WHERE e.environment_key = p_environment;
  END IF;
  RETURN number;
END $$;

-- Writes a run whose keys are taken: its history, its row, its message and its tags.
CREATE FUNCTION {schema}.write_run(p_env integer, p_run_id text, p_task text, p_queue text, p_bounded boolean,
    p_now timestamptz, p_run_at timestamptz, p_available_at timestamptz, p_concurrency_key text,
    p_idempotency_key text, p_singleton_key text, p_trace_carrier text, p_created_body text, p_delivery_body text,
    p_tags jsonb)
  RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
  VALUES (p_env, p_run_id, 1, 'run.created', p_now, p_created_body)
  ON CONFLICT (env, run_id, sequence) DO NOTHING;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'run % exists already', p_run_id USING ERRCODE = 'RL003';
  END IF;
  INSERT INTO {schema}.active_runs (env, run_id, task_id, queue, partition, status, kind, occupies, due_at,
      sequence, attempts, failures, retries, releases, run_at, created_at, updated_at, concurrency_key,
      idempotency_key, singleton_key, trace_carrier)
  SELECT p_env, p_run_id, p_task, p_queue, CASE WHEN p_bounded THEN coalesce(p_concurrency_key, '') END,
    CASE WHEN p_available_at > p_now AND NOT p_bounded THEN 'scheduled' ELSE 'queued' END,
    CASE WHEN p_available_at > p_now AND NOT p_bounded THEN 1 ELSE 0 END, false,
    CASE WHEN p_bounded THEN coalesce(p_run_at, p_now) ELSE p_available_at END,
    CASE WHEN p_bounded THEN 1 ELSE 2 END, 0, 0, 0, 0,
    CASE WHEN p_bounded THEN p_run_at ELSE p_available_at END, p_now, p_now, p_concurrency_key,
    p_idempotency_key, p_singleton_key, p_trace_carrier;
  IF NOT p_bounded THEN
    INSERT INTO {schema}.run_events (env, run_id, sequence, type, occurred_at, body)
    VALUES (p_env, p_run_id, 2, 'run.delivery_requested', p_now, p_delivery_body);
    INSERT INTO {schema}.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,
      available_at, next_at, trace_carrier)
    VALUES (p_env, p_run_id, 2, {schema}.time_ordered_id('msg_', p_now), p_queue, 'pending', p_now,
      p_available_at, p_available_at, p_trace_carrier);
  END IF;
  IF p_tags IS NOT NULL THEN
    INSERT INTO {schema}.run_tags (env, run_id, name, value, created_at)
    SELECT p_env, p_run_id, t.name, t.value, p_now FROM jsonb_each_text(p_tags) AS t(name, value) ORDER BY t.name;
  END IF;
END $$;

-- Tells processes that listen of a run that is due, when the transaction commits. What does not fit goes without its
-- trace.
CREATE FUNCTION {schema}.notify_run(p_environment text, p_run_id text, p_queue text, p_now timestamptz,
    p_trace_carrier text)
  RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  channel text := 'runlane_' || left(encode(sha256(convert_to(
    trim(BOTH '"' FROM '{schema}') || ':' || p_environment, 'UTF8')), 'hex'), 16);
  head text := '{"v":1,"wakeups":[{"runId":' || to_json(p_run_id) || ',"queue":' || to_json(p_queue)
    || ',"requestedAt":"' || {schema}.instant_text(p_now) || '"';
  traced text := head || ',"traceCarrier":' || p_trace_carrier || '}]}';
BEGIN
  PERFORM pg_notify(channel, CASE WHEN octet_length(convert_to(traced, 'UTF8')) <= 7900 THEN traced
    ELSE head || '}]}' END);
END $$;

-- Creates a run of a task, or answers the one that has its key. With the rights of its owner, so that whoever may
-- execute it needs none on the tables.
CREATE FUNCTION {schema}.trigger(
    task text,
    payload jsonb,
    queue text DEFAULT 'default',
    run_at timestamptz DEFAULT NULL,
    idempotency_key text DEFAULT NULL,
    idempotency_ttl interval DEFAULT NULL,
    singleton_key text DEFAULT NULL,
    concurrency_key text DEFAULT NULL,
    tags jsonb DEFAULT NULL,
    meta jsonb DEFAULT NULL,
    trace_carrier jsonb DEFAULT NULL,
    environment text DEFAULT 'default',
    wake boolean DEFAULT true,
    INOUT run_id text DEFAULT NULL,
    OUT outcome text)
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  at timestamptz := clock_timestamp();
  number integer;
  bounded boolean;
  owner text;
  id text := run_id;
  ttl_millis numeric := CASE WHEN idempotency_key IS NOT NULL
    THEN extract(epoch FROM coalesce(idempotency_ttl, interval '30 days')) * 1000 END;
  not_before timestamptz;
  trace text := trace_carrier::text;
  labels jsonb := nullif(tags, '{}');
  taken boolean := false;
  created text;
  delivery text;
BEGIN
  PERFORM {schema}.require_key('task', task, 128), {schema}.require_key('queue', queue, 128),
    {schema}.require_key('environment', environment, 64);
  IF id IS NOT NULL THEN
    PERFORM {schema}.require_key('run_id', id, 128);
  END IF;
  IF idempotency_key IS NOT NULL THEN
    PERFORM {schema}.require_key('idempotency_key', idempotency_key, 512);
  ELSIF idempotency_ttl IS NOT NULL THEN
    RAISE EXCEPTION 'an idempotency_ttl needs an idempotency_key' USING ERRCODE = 'RL002';
  END IF;
  IF singleton_key IS NOT NULL THEN
    PERFORM {schema}.require_key('singleton_key', singleton_key, 512);
  END IF;
  IF concurrency_key IS NOT NULL THEN
    PERFORM {schema}.require_key('concurrency_key', concurrency_key, 512);
  END IF;
  IF payload IS NULL THEN
    RAISE EXCEPTION 'payload must be one JSON value; the JSON null is ''null'''
      USING ERRCODE = 'RL002';
  END IF;
  PERFORM {schema}.require_json('payload', payload::text, 1048576);
  IF ttl_millis <> floor(ttl_millis) OR ttl_millis < 1 OR ttl_millis > 36500::numeric * 86400000 THEN
    RAISE EXCEPTION 'idempotency_ttl must be between 1 ms and 36500 days, in whole milliseconds, but is %',
      idempotency_ttl USING ERRCODE = 'RL002';
  END IF;
  IF run_at IS NOT NULL AND (NOT isfinite(run_at) OR run_at > at + interval '36500 days'
      OR run_at < timestamptz '1970-01-01 00:00:00Z' - interval '36500 days') THEN
    RAISE EXCEPTION 'run_at must be at most 36500 days ahead, and not as long before 1970, but is %', run_at
      USING ERRCODE = 'RL002';
  END IF;
  IF meta IS NOT NULL THEN
    PERFORM {schema}.require_texts('meta', meta), {schema}.require_json('meta', meta::text, 16384);
  END IF;
  IF trace_carrier IS NOT NULL THEN
    PERFORM {schema}.require_texts('trace_carrier', trace_carrier),
      {schema}.require_json('trace_carrier', trace, 16384);
  END IF;
  IF labels IS NOT NULL THEN
    PERFORM {schema}.require_texts('tags', labels);
    IF (SELECT count(*) FROM jsonb_object_keys(labels)) > 16 THEN
      RAISE EXCEPTION 'a run has at most 16 tags' USING ERRCODE = 'RL002';
    END IF;
    PERFORM {schema}.require_key('the name of a tag', t.name, 64),
      {schema}.require_key('the value of tag ' || t.name, replace(t.value, ':', '.'), 256)
    FROM jsonb_each_text(labels) AS t(name, value);
  END IF;

  number := {schema}.environment_number(environment);
  SELECT b.bounded INTO bounded FROM {schema}.queue_bindings b WHERE b.env = number AND b.queue = trigger.queue;
  IF bounded IS NULL AND EXISTS (SELECT 1 FROM {schema}.queue_bindings b WHERE b.env = number) THEN
    RAISE EXCEPTION 'no process has ever had queue %, so nobody would take a run of it', queue
      USING ERRCODE = 'RL002';
  END IF;
  bounded := coalesce(bounded, false);

  IF id IS NOT NULL AND EXISTS (SELECT 1 FROM {schema}.run_events e
      WHERE e.env = number AND e.run_id = id AND e.sequence = 1) THEN
    RAISE EXCEPTION 'run % exists already', id USING ERRCODE = 'RL003';
  END IF;
  id := coalesce(id, {schema}.time_ordered_id('run_', at));
  FOR tries IN 1..3 LOOP
    IF idempotency_key IS NOT NULL THEN
      owner := {schema}.idempotency_owner(number, task, idempotency_key, at);
      IF owner IS NOT NULL THEN
        run_id := owner;
        outcome := 'idempotent_existing';
        RETURN;
      END IF;
    END IF;
    IF singleton_key IS NOT NULL THEN
      owner := {schema}.singleton_owner(number, task, singleton_key);
      IF owner IS NOT NULL THEN
        run_id := owner;
        outcome := 'singleton_existing';
        RETURN;
      END IF;
    END IF;
    IF idempotency_key IS NOT NULL AND singleton_key IS NOT NULL THEN
      BEGIN
        taken := {schema}.take_keys(number, task, id, idempotency_key, at + ttl_millis * interval '1 ms',
          singleton_key, at);
      EXCEPTION WHEN SQLSTATE 'RL001' THEN
        taken := false;
      END;
    ELSE
      taken := {schema}.take_keys(number, task, id, idempotency_key, at + ttl_millis * interval '1 ms',
        singleton_key, at);
    END IF;
    EXIT WHEN taken;
  END LOOP;
  IF NOT taken THEN
    RAISE EXCEPTION 'run % lost its keys to runs that are gone again', id USING ERRCODE = '40001';
  END IF;

  not_before := greatest(coalesce(run_at, at), at);
  created := '{' || {schema}.json_field('traceCarrier', trace) || {schema}.json_field('meta', meta::text)
    || {schema}.json_field('taskId', to_json(task)::text) || {schema}.json_field('queue', to_json(queue)::text)
    || {schema}.json_field('payload', payload::text)
    || {schema}.json_field('runAt', '"' || {schema}.instant_text(run_at) || '"')
    || {schema}.json_field('concurrencyKey', to_json(concurrency_key)::text)
    || {schema}.json_field('idempotencyKey', to_json(idempotency_key)::text)
    || {schema}.json_field('idempotencyKeyTTL', '"' || {schema}.duration_text(ttl_millis::bigint) || '"')
    || {schema}.json_field('singletonKey', to_json(singleton_key)::text)
    || {schema}.json_field('tags', labels::text)
    || '"source":{"type":"trigger"}}';
  delivery := '{' || {schema}.json_field('traceCarrier', trace)
    || '"delivery":{"environment":{"name":' || to_json(environment) || '},'
    || {schema}.json_field('runId', to_json(id)::text) || {schema}.json_field('queue', to_json(queue)::text)
    || {schema}.json_field('traceCarrier', trace)
    || '"requestedAt":"' || {schema}.instant_text(at) || '","availableAt":"' || {schema}.instant_text(not_before)
    || '"}}';
  PERFORM {schema}.write_run(number, id, task, queue, bounded, at, run_at, not_before, concurrency_key,
    idempotency_key, singleton_key, trace, created, delivery, labels);
  IF wake AND NOT bounded AND not_before = at THEN
    PERFORM {schema}.notify_run(environment, id, queue, at, trace);
  END IF;
  run_id := id;
  outcome := 'created';
END $$;

REVOKE ALL ON FUNCTION {schema}.trigger FROM PUBLIC;
