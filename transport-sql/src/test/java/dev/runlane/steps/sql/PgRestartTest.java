package dev.runlane.steps.sql;

import static dev.runlane.steps.sql.StepScene.NAME;
import static dev.runlane.steps.sql.StepScene.done;
import static dev.runlane.steps.sql.StepScene.step;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.RenewStepTasks;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import dev.runlane.timing.Clock;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A server of its own that dies between a claim and the disk. */
@Tag("drill")
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgRestartTest {
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final int MOST_CRASHES = 5;

  private final Vertx vertx = Vertx.vertx();
  private final EmbeddedPostgres server = EmbeddedPostgres.builder()
      .setting("wal_writer_delay", "10s") // what no commit waits for is long in coming
      .start();
  private SqlStepTransport transport;

  @BeforeEach
  void connect() {
    PgConnectOptions address =
        PgConnectOptions.fromUri(server.createDatabase("steps").toUri());
    transport = SqlStepTransport.postgres(vertx, address, new SqlStepOptions());
  }

  @AfterEach
  void close() {
    done(transport.close());
    server.close();
    done(vertx.close());
  }

  @Test
  void a_lease_that_a_crash_forgets_is_one_that_has_passed() {
    ClaimedStepTask forgotten = forgottenLease();

    ClaimedStepTask next = claim();
    assertThat(next.task()).isEqualTo(forgotten.task());
    assertThat(record(forgotten, "\"late\"")).isEqualTo(RecordOutcome.LEASE_LOST);
    assertThat(record(next, "\"once\"")).isEqualTo(RecordOutcome.RECORDED);

    assertThat(done(transport.listStepResults(new ListStepResults(now(), LEASE, null, 10))))
        .filteredOn(result -> result.runId().equals(next.task().runId()))
        .hasSize(1);
  }

  /** What was dispatched is there after each crash; a claim is not, unless something else took it to the disk. */
  private ClaimedStepTask forgottenLease() {
    for (int crash = 1; crash <= MOST_CRASHES; crash++) {
      String runId = "run_" + crash;
      assertThat(done(transport.dispatchStep(step(runId, null), now())))
          .isEqualTo(DispatchOutcome.DISPATCHED);
      ClaimedStepTask claimed = claim();
      assertThat(claimed.task().runId()).isEqualTo(runId);
      server.kill();
      server.restart();
      RenewStepTasks renewal = new RenewStepTasks(List.of(claimed.claim()), now());
      if (StepScene.inTheEnd(vertx, () -> transport.renewStepTasks(renewal)).isEmpty()) {
        return claimed;
      }
      assertThat(record(claimed, "1")).isEqualTo(RecordOutcome.RECORDED);
    }
    throw new AssertionError("no crash forgot a lease");
  }

  private ClaimedStepTask claim() {
    List<ClaimedStepTask> claimed = done(
        transport.claimStepTasks(new ClaimStepTasks(List.of(NAME), "worker", now(), LEASE, 10)));
    assertThat(claimed).hasSize(1);
    return claimed.get(0);
  }

  private RecordOutcome record(ClaimedStepTask claimed, String output) {
    return done(transport.recordStepResults(new RecordStepResults(
            List.of(new RecordStepResults.Ended(
                claimed.claim(), new StepOutcome.Completed(Json.ofChecked(output)), now())),
            now())))
        .get(0);
  }

  private static Instant now() {
    return Clock.system().now();
  }
}
