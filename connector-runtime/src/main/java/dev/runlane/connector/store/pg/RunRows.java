package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.pg.PgValues.instant;
import static dev.runlane.connector.store.pg.PgValues.instantOrNull;

import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunTrigger;
import dev.runlane.connector.store.run.ActiveRun;
import io.vertx.sqlclient.Row;

/** Active runs as rows. */
final class RunRows {
  private RunRows() {}

  static ActiveRun read(Row row) {
    return new ActiveRun(
        EventRows.identity(row),
        trigger(row),
        row.getString("grant_id"),
        row.getLong("run_generation"),
        controller(row),
        instant(row, "started_at"),
        instantOrNull(row, "cancel_requested_at"),
        row.getString("pending_interaction"));
  }

  /** Of every table that says why a run exists in columns of these names. */
  static RunTrigger trigger(Row row) {
    return RunTrigger.stored(
        new RunTrigger.Names(
            row.getString("source"),
            row.getString("trigger_kind"),
            row.getString("automation_mode")),
        row.getInteger("attempt"));
  }

  private static ControllerProcess controller(Row row) {
    return new ControllerProcess(
        row.getString("controller_id"),
        row.getString("host_id"),
        row.getString("boot_id"),
        row.getLong("pid"),
        row.getLong("start_ticks"),
        row.getString("address"));
  }
}
