package dev.runlane.drills.jobs;

import dev.runlane.drills.process.Database;

/**
 * Tables of the drills' own beside those of the job store: every change of a job's state, written by a trigger, and
 * every call of a handler, written by the handler over a connection of its own. One sequence numbers both. A change
 * is numbered after all that its statement could see, so that the numbers are an order in which it may have happened.
 */
final class JobTables {
  private static final String INSERT_CALL =
      "INSERT INTO {schema}.drill_job_calls (queue, job_id, attempt, worker, ended)"
          + " VALUES ($1, $2, $3, $4, $5)";

  private static final String CREATE = """
      CREATE SEQUENCE {schema}.drill_job_order;
      CREATE TABLE {schema}.drill_job_steps (
        number bigint NOT NULL DEFAULT nextval('{schema}.drill_job_order'),
        at timestamptz NOT NULL DEFAULT clock_timestamp(),
        queue text NOT NULL, job_id text NOT NULL, group_id text, place bigint NOT NULL,
        was text, became text, attempts_made integer NOT NULL, started_attempts integer NOT NULL,
        stalls integer NOT NULL, worker text, token text, processed_at timestamptz, returnvalue text);
      CREATE TABLE {schema}.drill_job_calls (
        number bigint NOT NULL DEFAULT nextval('{schema}.drill_job_order'),
        queue text NOT NULL, job_id text NOT NULL, attempt integer NOT NULL, worker text NOT NULL,
        ended boolean NOT NULL);
      CREATE FUNCTION {schema}.drill_job_step() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          INSERT INTO {schema}.drill_job_steps (queue, job_id, group_id, place, became, attempts_made,
            started_attempts, stalls)
          VALUES (NEW.queue, NEW.id, NEW.group_id, NEW.place, NEW.state, NEW.attempts_made, NEW.started_attempts,
            NEW.stalls);
        ELSIF TG_OP = 'DELETE' THEN
          INSERT INTO {schema}.drill_job_steps (queue, job_id, group_id, place, was, attempts_made, started_attempts,
            stalls, worker, token)
          VALUES (OLD.queue, OLD.id, OLD.group_id, OLD.place, OLD.state, OLD.attempts_made, OLD.started_attempts,
            OLD.stalls, OLD.locked_by, OLD.lock_token);
        ELSE
          INSERT INTO {schema}.drill_job_steps (queue, job_id, group_id, place, was, became, attempts_made, started_attempts,
            stalls, worker, token, processed_at, returnvalue)
          VALUES (NEW.queue, NEW.id, NEW.group_id, NEW.place, OLD.state, NEW.state, NEW.attempts_made,
            NEW.started_attempts, NEW.stalls, coalesce(NEW.locked_by, OLD.locked_by),
            coalesce(NEW.lock_token, OLD.lock_token), NEW.processed_at, NEW.returnvalue);
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER drill_job_changed AFTER UPDATE ON {schema}.jobs FOR EACH ROW
        WHEN (OLD.state IS DISTINCT FROM NEW.state OR OLD.lock_token IS DISTINCT FROM NEW.lock_token)
        EXECUTE FUNCTION {schema}.drill_job_step();
      CREATE TRIGGER drill_job_came AFTER INSERT OR DELETE ON {schema}.jobs FOR EACH ROW
        EXECUTE FUNCTION {schema}.drill_job_step();
      """;

  private JobTables() {}

  /** Records that a handler begins or ends; nothing keeps a second one of the same hand-out out. */
  static String insertCall(String schema) {
    return INSERT_CALL.replace("{schema}", schema);
  }

  /** Adds them to a schema that has the tables of the job store. */
  static void create(Database database, String schema) {
    database.execute(CREATE.replace("{schema}", schema));
  }
}
