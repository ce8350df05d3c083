package dev.runlane.connector.store.pg;

import static dev.runlane.connector.store.StoreCase.NOON;
import static dev.runlane.connector.store.StoreCase.SHELF;
import static dev.runlane.connector.store.StoreCase.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.connector.store.schedule.PutSchedule;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Postgres keeps its sockets open and says nothing: an outage like any other, for as long as it lasts. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgSilenceTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final PgScene scene = PgScene.direct();
  private final PgConnectOptions direct = scene.options().getConnectOptions();
  private final TcpLine line = new TcpLine(direct.getHost(), direct.getPort());
  private final PgConnectorStore store = scene.connected(scene
      .options()
      .setStatementDeadline(Duration.ofSeconds(2))
      .setCloseTimeout(Duration.ofMillis(300))
      .setConnectOptions(new PgConnectOptions(direct).setHost("127.0.0.1").setPort(line.port())));

  @AfterEach
  void close() {
    line.speak();
    scene.close();
    line.close();
  }

  @Test
  void calls_are_unavailable_in_the_silence_and_work_after_it() {
    line.silence();

    RunlaneException failure = failure(store.activeRuns().list());

    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
    line.speak();
    assertThat(PgScene.inTheEnd(() -> store.activeRuns().list())).isEmpty();
  }

  @Test
  void closing_in_the_silence_ends_and_calls_fail_as_closed() {
    line.silence();
    Future<?> pending = store.activeRuns().list();

    done(store.close());

    assertThat(failure(pending).isRetryable()).isTrue();
    RunlaneException closed = failure(store.activeRuns().list());
    assertThat(closed.code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(closed.isRetryable()).isFalse();
  }

  @Test
  void a_claim_that_is_renewed_in_the_silence_is_given_up_while_it_lasts() {
    PgConnectorStoreOptions own = scene.options();
    PgConnectorStore patient = scene.connected(new PgConnectorStoreOptions(own)
        .setStatementDeadline(Duration.ofHours(1))
        .setCloseTimeout(Duration.ofMillis(300))
        .setConnectOptions(new PgConnectOptions(direct).setHost("127.0.0.1").setPort(line.port())));
    PgConnectorStore other = scene.connected(own);
    Instant until = NOON.plusSeconds(3);
    done(other
        .schedules()
        .put(new PutSchedule(SHELF, MINUTE, Duration.ZERO, true, null, NOON.minusSeconds(600))));
    assertThat(done(other.schedules().claimDue("tok_1", NOON, until, 10))).hasSize(1);
    assertThat(PgScene.inTheEnd(() -> patient.schedules().claimDue("tok_2", NOON, until, 10)))
        .as("what the other has, asked for by one that waits no longer than such a claim lasts")
        .isEmpty();
    line.silence();

    RunlaneException failure =
        failure(patient.schedules().renew(SHELF.instanceId(), "tok_1", until));

    assertThat(failure.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    assertThat(failure.isRetryable()).isTrue();
    line.speak();
    assertThat(
            PgScene.inTheEnd(() -> patient.schedules().renew(SHELF.instanceId(), "tok_1", until)))
        .isTrue();
  }

  private static RunlaneException failure(Future<?> call) {
    return done(call.<RunlaneException>transform(
        (answer, failure) -> failure instanceof RunlaneException ours
            ? Future.succeededFuture(ours)
            : Future.failedFuture("a failure of ours was expected")));
  }
}
