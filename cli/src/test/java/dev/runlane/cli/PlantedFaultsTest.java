package dev.runlane.cli;

import static dev.runlane.cli.OperatedFleet.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.doctor.Doctor;
import dev.runlane.cli.doctor.Finding;
import dev.runlane.cli.option.DatabaseOptions;
import dev.runlane.run.RunRecord;
import io.vertx.pgclient.PgConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("ten faults at the same time")
@DisplayNameGeneration(ReplaceUnderscores.class)
class PlantedFaultsTest {
  @Test
  void are_each_named_by_doctor_or_explain() {
    try (OperatedFleet fleet = OperatedFleet.onEmptied()) {
      for (int day = 1; day <= 3; day++) {
        fleet.fired(day, fleet.ended(-day)); // a failing schedule
      }
      await(fleet.worker.trigger(fleet.hold, "first"));
      fleet.worker.executeNext();
      OperatedFleet.until(() -> fleet
              .sql("SELECT 1 FROM {schema}.active_runs WHERE status = 'running'")
              .size()
          == 1);
      RunRecord kept =
          await(fleet.worker.trigger(fleet.hold, "second")).run(); // a partition is full
      String full = fleet.runlane("runs", "explain", kept.id()).out();
      fleet.charged(1);
      fleet.runlane("queues", "pause", "default", "--reason", "the bank is away"); // a paused queue
      outbox(fleet, 2, "dead_lettered", "'infinity'");
      outbox(fleet, 3, "failed", "now() + interval '1 hour'"); // the broker is gone
      fleet.sql("UPDATE {schema}.queue_capacity SET used = 3"); // a capacity row that is off
      goneWith(fleet); // a worker is gone, and the task has no other
      PgConnection forgotten = await(PgConnection.connect(fleet.vertx, OperatedFleet.connect()));
      await(forgotten.query("BEGIN").execute()); // a long transaction

      List<Finding> found = await(new Doctor(
                  fleet.vertx,
                  new DatabaseOptions.Settings(OperatedFleet.connect(), fleet.schema, "default"),
                  Duration.ZERO,
                  Duration.ofSeconds(60),
                  () -> Instant.now().plusSeconds(90)) // the clock is off
              .examine())
          .all();
      await(forgotten.close());

      assertThat(full).contains("one").containsPattern("(?i)capacity|slot|full|limit");
      assertNamed(found, "schedules", "Schedule nightly of task charge");
      assertNamed(found, "paused", "queue default");
      assertNamed(found, "outbox", "1 wakeups were given up");
      assertNamed(found, "outbox", "1 wakeups could not be published");
      assertNamed(found, "capacity", "Queue one");
      assertNamed(found, "processes", "Process a_lost_one");
      assertNamed(found, "tasks", "task hold in queue one");
      assertNamed(found, "long_transactions", "has a transaction open since");
      assertNamed(found, "clock", "ahead of the database's");
      assertThat(found).allSatisfy(finding -> assertThat(finding.mend()).isNotEmpty());
    }
  }

  private static void outbox(OperatedFleet fleet, int sequence, String status, String nextAt) {
    fleet.sql(
        "INSERT INTO {schema}.outbox_messages (env, run_id, sequence, message_id, queue, status, requested_at,"
            + " available_at, next_at) SELECT env, run_id, 9" + sequence + ", 'm" + sequence
            + "', queue, '" + status + "', now(), now(), " + nextAt
            + " FROM {schema}.active_runs LIMIT 1");
  }

  private static void goneWith(OperatedFleet fleet) {
    fleet.sql("DELETE FROM {schema}.live_processes");
    for (String[] each :
        new String[][] {{"a_lost_one", "{hold}", "1 minute"}, {"another", "{refund}", "-1 hour"}}) {
      fleet.sql(
          "INSERT INTO {schema}.live_processes (env, process_id, host, version, roles, queues, task_ids,"
              + " worker_ids, slots, running, longest_lease_millis, started_at, last_seen) SELECT env, '"
              + each[0] + "', 'there', '', '{}', '{one,default}', '" + each[1]
              + "', '{}', 1, 1, 30000, now(), now() - interval '" + each[2]
              + "' FROM {schema}.environments");
    }
    fleet.sql(
        "UPDATE {schema}.live_processes p SET worker_ids = ARRAY[a.lease_worker]"
            + " FROM {schema}.active_runs a WHERE p.process_id = 'a_lost_one' AND a.lease_worker IS NOT NULL");
  }

  private static void assertNamed(List<Finding> found, String check, String text) {
    assertThat(found).as(check).anySatisfy(finding -> {
      assertThat(finding.check()).isEqualTo(check);
      assertThat(finding.text()).contains(text);
    });
  }
}
