package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.process.TcpLine;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnectOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** Postgres keeps its sockets open and says nothing: an outage like any other, for as long as it lasts. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobSilenceTest {
  /** What has to be answered is answered within it, on a machine that stands still for some seconds too. */
  private static final Duration DEADLINE = Duration.ofSeconds(8);

  private final JobScene scene = JobScene.direct();
  private final PgConnectOptions direct = JobScene.address();
  private final TcpLine line = new TcpLine(direct.getHost(), direct.getPort());
  private PgJobStore store;

  @BeforeEach
  void connect() {
    store = scene.create(scene
        .options()
        .setStatementDeadline(DEADLINE)
        .setCloseTimeout(Duration.ofMillis(300))
        .setConnectOptions(new PgConnectOptions(direct).setHost("127.0.0.1").setPort(line.port())));
    done(store.connect());
  }

  @AfterEach
  void close() {
    line.speak();
    scene.close();
    line.close();
  }

  @Test
  void every_kind_of_command_ends_and_works_again_after_it() {
    String before = done(store.saveJob(QUEUE, job("before"), NOON));
    line.silence();

    for (Future<?> command : commands(before)) {
      assertThat(cause(command)).isInstanceOfSatisfying(RunlaneException.class, failed -> {
        assertThat(failed.code()).isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
        assertThat(failed.isRetryable()).isTrue();
      });
    }

    line.speak();
    assertThat(done(store.getJob(QUEUE, before))).isPresent();
    assertThat(done(store.fetchNextJobs(fetching(1, FetchOptions.ANY)))).hasSize(1);
  }

  @Test
  void closing_in_the_silence_ends_and_what_is_pending_fails() {
    String before = done(store.saveJob(QUEUE, job("before"), NOON));
    line.silence();
    List<Future<?>> pending = commands(before);

    done(store.disconnect());

    pending.forEach(command -> assertThat(cause(command)).isInstanceOf(RunlaneException.class));
    assertThat(cause(store.getJob(QUEUE, before)))
        .isInstanceOfSatisfying(RunlaneException.class, failed -> {
          assertThat(failed.code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
          assertThat(failed.isRetryable()).isFalse();
        });
  }

  private List<Future<?>> commands(String jobId) {
    return List.of(
        store.saveJob(QUEUE, job("lost"), NOON),
        store.fetchNextJobs(fetching(1, FetchOptions.ANY)),
        store.fetchNextJobs(fetching(1, FetchOptions.ANY.withGroupConcurrency(1))),
        store.getJob(QUEUE, jobId),
        store.removeJob(QUEUE, jobId, NOON));
  }
}
