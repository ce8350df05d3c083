package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobDeduplication;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.Future;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Transaction;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs added in a transaction of the caller's. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobTransactionTest {
  private static final NewJob KEYED = job(
      "keyed", JobOptions.builder().deduplication(JobDeduplication.byKey("key")).build());

  private final JobScene scene = JobScene.open();
  private PgJobStore store;
  private PgConnection connection;
  private Transaction transaction;
  private JobStore joined;

  @BeforeEach
  void begin() {
    store = scene.connected();
    connection = done(scene.connect());
    transaction = done(connection.begin());
    joined = store.on(connection);
  }

  @AfterEach
  void close() {
    done(connection.close());
    scene.close();
  }

  @Test
  void a_job_exists_if_and_only_if_the_caller_commits() {
    String id = done(joined.saveJob(QUEUE, job("a"), NOON));
    done(joined.saveJob(QUEUE, KEYED, NOON));
    assertThat(done(store.getJob(QUEUE, id))).isEmpty();
    assertThat(done(joined.getJob(QUEUE, id))).isPresent();
    assertThat(done(store.fetchNextJobs(fetching(10, FetchOptions.ANY)))).isEmpty();

    done(transaction.commit());

    assertThat(done(store.fetchNextJobs(fetching(10, FetchOptions.ANY)))).hasSize(2);
  }

  @Test
  void nothing_is_left_when_the_caller_rolls_back() {
    done(joined.saveBulk(QUEUE, List.of(job("a"), KEYED), NOON));

    done(transaction.rollback());

    assertThat(done(store.countJobs(QUEUE, JobState.WAITING))).isZero();
  }

  @Test
  void what_is_refused_leaves_the_transaction_usable_and_nothing_of_itself() {
    done(store.saveJob(QUEUE, job("there").withId("taken"), NOON));
    NewJob full = job("b", JobOptions.builder().group(new JobGroup("g", 1)).build());
    List<FlowNode> flow = List.of(
        new FlowNode(QUEUE, job("leaf").withId("leaf").childOf(QUEUE, "taken")),
        new FlowNode(QUEUE, job("root").withId("taken").parentOf(List.of("leaf"))));

    assertThat(done(joined.saveJob(QUEUE, job("a").withId("taken"), NOON))).isEqualTo("taken");
    assertThat(conflict(joined.saveFlow(flow, NOON))).isEqualTo(StorageConflictKind.JOB_ID);
    assertThat(conflict(joined.saveJobs(QUEUE, List.of(full, full), NOON)))
        .isEqualTo(StorageConflictKind.QUEUE_CAPACITY);
    done(joined.saveJob(QUEUE, job("c"), NOON));
    done(transaction.commit());

    assertThat(done(store.listJobs(QUEUE, JobState.WAITING, 0, 10)))
        .extracting(job -> job.name())
        .containsExactly("there", "c");
  }

  /** Of the database's: a {@link Transaction} of the client's rolls back when any statement has failed. */
  @Test
  void a_save_that_waits_too_long_for_an_id_leaves_the_transaction_usable() {
    done(joined.saveJob(QUEUE, job("a").withId("one"), NOON));
    PgConnection other = done(scene.connect());
    done(other.query("BEGIN").execute());
    done(other.query("SET LOCAL lock_timeout = '50ms'").execute());

    assertThat(
            ((RunlaneException) cause(store.on(other).saveJob(QUEUE, job("b").withId("one"), NOON)))
                .code())
        .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE);
    done(store.on(other).saveJob(QUEUE, job("c").withId("two"), NOON));
    done(other.query("COMMIT").execute());
    done(transaction.commit());
    done(other.close());

    assertThat(done(store.listJobs(QUEUE, JobState.WAITING, 0, 10)))
        .extracting(job -> job.name())
        .containsExactlyInAnyOrder("a", "c");
  }

  @Test
  void a_key_is_decided_when_its_holder_commits() {
    String first = done(joined.saveJob(QUEUE, KEYED, NOON));
    Future<String> second = store.saveJob(QUEUE, KEYED, NOON);
    done(store.countJobs(QUEUE, JobState.WAITING)); // a round trip: the other one waits for the key
    assertThat(second.isComplete()).isFalse();

    done(transaction.commit());

    assertThat(done(second)).isEqualTo(first);
  }

  @ParameterizedTest
  @ValueSource(strings = {"REPEATABLE READ", "SERIALIZABLE"})
  void a_group_of_bounded_size_takes_no_job_of_a_transaction_that_cannot_see_who_waits_in_it(
      String isolation) {
    NewJob bounded =
        job("bounded", JobOptions.builder().group(new JobGroup("g", 1)).build());
    PgConnection other = done(scene.connect());
    done(other.query("BEGIN ISOLATION LEVEL " + isolation).execute());
    done(store.on(other).countJobs(QUEUE, JobState.WAITING)); // what it sees is decided
    done(store.saveJob(QUEUE, bounded, NOON));

    assertThat(cause(store.on(other).saveJob(QUEUE, bounded, NOON)))
        .isInstanceOfSatisfying(RunlaneException.class, refused -> {
          assertThat(refused.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
          assertThat(refused).hasMessageContaining(isolation.toLowerCase(Locale.ROOT));
        });
    done(store.on(other).saveJob(QUEUE, job("without"), NOON));
    done(store.on(other).saveJob(QUEUE, KEYED, NOON));
    done(other.query("COMMIT").execute());
    done(other.close());

    assertThat(done(store.listJobs(QUEUE, JobState.WAITING, 0, 10)))
        .extracting(job -> job.name())
        .containsExactlyInAnyOrder("bounded", "without", "keyed");
  }

  @Test
  void what_others_must_see_at_once_cannot_join() {
    assertThat(
            ((RunlaneException) cause(joined.fetchNextJobs(fetching(1, FetchOptions.ANY)))).code())
        .isEqualTo(ErrorCode.CAPABILITY_UNSUPPORTED);
    assertThat(joined.sharesEvents()).isFalse();
  }

  private static StorageConflictKind conflict(Future<?> future) {
    return ((RunlaneException) cause(future)).conflictKind().orElseThrow();
  }
}
