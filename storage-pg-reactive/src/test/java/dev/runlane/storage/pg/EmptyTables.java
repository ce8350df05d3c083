package dev.runlane.storage.pg;

import static dev.runlane.conformance.kit.Outcomes.done;

import io.vertx.pgclient.PgConnection;
import java.util.List;
import java.util.stream.Collectors;

/** What Postgres can know of tables without a row, when it makes the plans with which they are used for good. */
enum EmptyTables {
  /** Nothing: they are new, and suppose ten pages. */
  NEW,

  /** That they have no row and no page. */
  VACUUMED,

  /**
   * That they have no row in all their pages: a backup, or a report, can still see what they had, so that a vacuum
   * cannot give them back. From then on Postgres supposes no row however many pages there are, and each index costs the
   * same.
   */
  VACUUMED_BESIDE_A_BACKUP,

  /** The same, where primary keys have been made anew since, as by {@code REINDEX CONCURRENTLY}: they come last. */
  REINDEXED_BESIDE_A_BACKUP;

  /** Removes all rows, which makes plans invalid, and each table a plan of which is made later is known so. */
  void empty(Scene scene, List<String> tables) {
    if (this == NEW) {
      return;
    }
    if (this == REINDEXED_BESIDE_A_BACKUP) {
      makeKeysAnew(scene);
    }
    PgConnection backup = scene.begin("default_transaction_isolation = 'repeatable read'");
    if (this != VACUUMED) {
      Scene.execute(backup, "SELECT count(*) FROM " + scene.schema() + "." + tables.get(0));
    }
    scene.change(tables.stream()
        .map(table -> "DELETE FROM {schema}." + table)
        .collect(Collectors.joining("; ")));
    for (String table : tables) {
      done(PgStorageFixture.sql(scene.vertx(), "VACUUM (ANALYZE) " + scene.schema() + "." + table));
    }
    Scene.execute(backup, "ROLLBACK");
  }

  private static void makeKeysAnew(Scene scene) {
    scene.change("""
        DO $$ DECLARE each record; BEGIN
          FOR each IN SELECT conrelid::regclass AS owner, conname, pg_get_constraintdef(oid) AS definition
              FROM pg_constraint WHERE contype = 'p' AND connamespace = '{schema}'::regnamespace LOOP
            EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I, ADD CONSTRAINT %I %s', each.owner, each.conname,
              each.conname, each.definition);
          END LOOP;
        END $$""");
  }
}
