package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.NewJob;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Entries that are left of a job that is gone, as of a line that is written while another statement removes it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobStrayEntriesTest {
  private static final NewJob NAMED = job("a").withId("one");
  private static final NewJob KEYED = job(
          "a", JobOptions.builder().deduplication(JobDeduplication.byKey("key")).build())
      .withId("one");

  private final JobScene scene = JobScene.open();
  private PgJobStore store;
  private PgConnection connection;

  @BeforeEach
  void connect() {
    store = scene.connected();
    connection = done(scene.connect());
  }

  @AfterEach
  void close() {
    done(connection.close());
    scene.close();
  }

  private interface Adding extends BiFunction<PgJobStore, PgConnection, Future<?>> {}

  static Stream<Named<Adding>> waysToAdd() {
    return Stream.of(
        Named.of("alone", (store, own) -> store.saveJob(QUEUE, NAMED, NOON)),
        Named.of(
            "with others that have ids",
            (store, own) ->
                store.saveJobs(QUEUE, List.of(job("b").withId("two"), NAMED, NAMED), NOON)),
        Named.of(
            "with others that have none",
            (store, own) -> store.saveJobs(QUEUE, List.of(job("b"), NAMED), NOON)),
        Named.of("with a key", (store, own) -> store.saveJob(QUEUE, KEYED, NOON)),
        Named.of(
            "in a flow",
            (store, own) -> store.saveFlow(
                List.of(
                    new FlowNode(QUEUE, NAMED.childOf(QUEUE, "root")),
                    new FlowNode(QUEUE, job("root").withId("root").parentOf(List.of("one")))),
                NOON)),
        Named.of("in the caller's transaction", (store, own) -> own.begin().compose(begun -> store
            .on(own)
            .saveJobs(QUEUE, List.of(job("b"), NAMED), NOON)
            .compose(saved -> begun.commit()))));
  }

  @ParameterizedTest(name = "added {0}")
  @MethodSource("waysToAdd")
  void are_not_those_of_a_later_job_of_its_id(Adding adding) {
    done(store.saveJob(QUEUE, job("there").withId("other"), NOON));
    done(store.appendLog(QUEUE, "other", "stays"));
    leave(QUEUE, "one");
    leave("elsewhere", "one");

    done(adding.apply(store, connection));

    assertThat(done(store.getLogs(QUEUE, "one", 0, 10))).isEmpty();
    done(store.appendLog(QUEUE, "one", "first"));
    JobData later = done(store.getJob(QUEUE, "one")).orElseThrow();
    assertThat(later.logs()).containsExactly("first");
    assertThat(later.stacktrace()).isEmpty();
    assertThat(later.attemptLogs()).isEmpty();
    done(adding.apply(store, connection).otherwiseEmpty()); // it is there by now
    assertThat(done(store.getLogs(QUEUE, "one", 0, 10))).containsExactly("first");
    assertThat(done(store.getLogs(QUEUE, "other", 0, 10))).containsExactly("stays");
    assertThat(scene.number("SELECT count(*) FROM {s}.job_entries WHERE queue = 'elsewhere'"))
        .isEqualTo(3);
  }

  private void leave(String queue, String id) {
    scene.sql("""
        INSERT INTO {s}.job_entries (queue, job_id, kind, number, attempt, body)
        VALUES ('%1$s', '%2$s', 0, 1, 1, 'a line'), ('%1$s', '%2$s', 0, 2, 1, 'another'),
          ('%1$s', '%2$s', 1, 1, 1, 'a stack')""".formatted(queue, id));
  }
}
