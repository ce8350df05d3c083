package dev.runlane.jobs.postgres;

import static dev.runlane.conformance.kit.Outcomes.cause;
import static dev.runlane.conformance.kit.Outcomes.done;
import static dev.runlane.jobs.postgres.JobScene.NOON;
import static dev.runlane.jobs.postgres.JobScene.QUEUE;
import static dev.runlane.jobs.postgres.JobScene.fetching;
import static dev.runlane.jobs.postgres.JobScene.job;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.FlowNode;
import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.StoreEvent;
import dev.runlane.jobs.StoreEventType;
import dev.runlane.jobs.store.FetchOptions;
import dev.runlane.jobs.store.FinishJob;
import dev.runlane.jobs.store.FinishResult;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.testinfra.postgres.EmbeddedPostgres;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnectOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** One store outlives any number of lost servers, and no flow hangs on one. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class PgJobReconnectTest {
  private static final EmbeddedPostgres SERVER = EmbeddedPostgres.builder().start();
  private final JobScene scene =
      JobScene.on(PgConnectOptions.fromUri(SERVER.createDatabase("jobs").toUri()));
  private PgJobStore store;

  @BeforeEach
  void connect() {
    store = scene.connected();
  }

  @AfterEach
  void close() {
    scene.close();
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void after_a_crash_of_postgres_commands_are_unavailable_and_then_work_again() {
    String before = done(store.saveJob(QUEUE, job("before"), NOON));

    SERVER.kill();
    for (Future<?> command : List.<Future<?>>of(
        store.saveJob(QUEUE, job("lost"), NOON),
        store.fetchNextJobs(fetching(1, FetchOptions.ANY)),
        store.fetchNextJobs(fetching(1, FetchOptions.ANY.withGroupConcurrency(1))),
        store.removeJob(QUEUE, before, NOON))) {
      assertThat(cause(command))
          .isInstanceOfSatisfying(RunlaneException.class, failed -> assertThat(failed.code())
              .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE));
    }
    SERVER.restart();

    assertThat(done(store.getJob(QUEUE, before))).isPresent();
    List<JobData> running = done(store.fetchNextJobs(fetching(10, FetchOptions.ANY)));
    assertThat(running).extracting(JobData::id).contains(before);
    assertThat(JobScene.completeAll(store, running))
        .allMatch(each -> each instanceof FinishResult.Finished);
  }

  @Test
  void a_listener_is_told_that_it_may_have_missed_something_and_hears_again() {
    Promise<StoreEvent> missed = Promise.promise();
    Promise<StoreEvent> heard = Promise.promise();
    done(store.subscribe(
        QUEUE,
        event -> (event.type() == StoreEventType.QUEUE_ERROR ? missed : heard).tryComplete(event)));

    SERVER.kill();
    SERVER.restart();

    assertThat(done(missed.future()).queueName()).isEqualTo(QUEUE);
    StoreEvent published = new StoreEvent(StoreEventType.JOB_WAITING, QUEUE, "job_1", null, NOON);
    done(scene.connected().publish(published));
    assertThat(done(heard.future())).isEqualTo(published);
  }

  @Test
  void children_that_end_while_postgres_crashes_count_once_or_not_at_all() {
    List<String> children = IntStream.range(0, 40).mapToObj(i -> "child_" + i).toList();
    List<FlowNode> flow = new ArrayList<>();
    children.forEach(
        child -> flow.add(new FlowNode(QUEUE, job("leaf").withId(child).childOf(QUEUE, "root"))));
    flow.add(new FlowNode(QUEUE, job("root").withId("root").parentOf(children)));
    done(store.saveFlow(flow, NOON));
    List<JobData> running = done(store.fetchNextJobs(fetching(40, FetchOptions.ANY)));

    List<Future<FinishResult>> ends = new ArrayList<>();
    for (JobData each : running) {
      FinishJob end = JobScene.completing(each);
      ends.add(store.finishJob(end));
      if (ends.size() == 20) {
        done(ends.get(0)); // some have ended, some are on their way
        SERVER.kill();
      }
    }
    done(Future.join(ends).transform((all, failure) -> Future.succeededFuture()));
    SERVER.restart();
    JobScene.completeAll(store, running); // again; those that had ended have lost their lock

    assertThat(done(store.countJobs(QUEUE, JobState.COMPLETED))).isEqualTo(40);
    assertThat(done(store.getJob(QUEUE, "root")).orElseThrow()).satisfies(root -> {
      assertThat(root.state()).isEqualTo(JobState.WAITING);
      assertThat(root.pendingChildrenCount()).isZero();
    });
  }
}
