package dev.runlane.drills.fleet;

import dev.runlane.drills.process.Database;

/**
 * Tables of the drills' own beside Runlane's: what handlers did, and a log of what happened to outbox
 * messages, written by triggers, since a published message leaves no trace.
 */
public final class DrillTables {
  /** Records a call of a handler; nothing keeps a second one of the same attempt out. */
  public static final String INSERT_EFFECT =
      "INSERT INTO drill_effects (environment, run_id, attempt, worker) VALUES ($1, $2, $3, $4)";

  private static final String CREATE = """
      CREATE TABLE drill_effects (
        environment text NOT NULL, run_id text NOT NULL, attempt integer NOT NULL, worker text NOT NULL);
      CREATE TABLE drill_orders (id bigint PRIMARY KEY, run_id text NOT NULL);
      CREATE TABLE drill_outbox (
        env integer NOT NULL, run_id text NOT NULL, sequence bigint NOT NULL, inserted boolean NOT NULL);
      CREATE FUNCTION drill_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO drill_outbox SELECT env, run_id, sequence, true FROM changed;
        RETURN NULL;
      END $$;
      CREATE FUNCTION drill_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO drill_outbox SELECT env, run_id, sequence, false FROM changed;
        RETURN NULL;
      END $$;
      CREATE TRIGGER drill_inserted AFTER INSERT ON runlane.outbox_messages
        REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION drill_inserted();
      CREATE TRIGGER drill_deleted AFTER DELETE ON runlane.outbox_messages
        REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION drill_deleted();
      """;

  private DrillTables() {}

  /** Adds them to a database that has Runlane's tables. */
  static void create(Database database) {
    database.execute(CREATE);
  }
}
