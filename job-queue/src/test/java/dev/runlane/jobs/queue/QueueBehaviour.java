package dev.runlane.jobs.queue;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.kit.BlockedLoops;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobHandler;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;

/**
 * A fresh queue on a fresh store, on real event loops that must not be blocked. Workers poll so seldom that only
 * events can have woken them.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
public abstract class QueueBehaviour {
  public static final Duration NEVER = Duration.ofHours(1);

  private final Function<Vertx, Future<JobStore>> stores;
  private final BlockedLoops blocked = new BlockedLoops();
  public Vertx vertx;
  public JobStore store;
  public Jobs jobs;
  public JobQueue queue;

  /** A connected, empty store for each test. */
  public QueueBehaviour(Function<Vertx, Future<JobStore>> stores) {
    this.stores = stores;
  }

  @BeforeEach
  void open() {
    vertx = blocked.watched();
    store = await(stores.apply(vertx));
    jobs = Jobs.create(vertx, store);
    queue = jobs.queue("mail");
  }

  @AfterEach
  void close() {
    await(jobs.close());
    await(store.disconnect());
    await(vertx.close());
    blocked.assertNone();
  }

  /** Options of a worker that is woken by events alone, and does not keep a test waiting at its end. */
  public static JobWorkerOptions options() {
    return new JobWorkerOptions()
        .setPollInterval(NEVER)
        .setStalledInterval(NEVER)
        .setDrainTimeout(Duration.ofMillis(50))
        .setSignalGrace(Duration.ofMillis(50));
  }

  public JobWorker worker(JobHandler handler) {
    return worker(options(), handler);
  }

  public JobWorker worker(JobWorkerOptions options, JobHandler handler) {
    return jobs.worker("mail", JobProcessor.of(handler), options);
  }

  /** Long enough for hundreds of jobs one after the other on a machine that is busy with much else. */
  public static <T> T await(Future<T> future) {
    try {
      return future.await(120, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }

  public static RunlaneException failure(Future<?> future) {
    return await(
        future.transform(ended -> Future.succeededFuture((RunlaneException) ended.cause())));
  }

  public static void assertFails(ErrorCode code, Future<?> future) {
    RunlaneException failure = failure(future);
    assertThat(failure).as("the failure").isNotNull();
    assertThat(failure.code()).isEqualTo(code);
  }

  public static void assertConflict(StorageConflictKind kind, Future<?> future) {
    RunlaneException failure = failure(future);
    assertThat(failure).as("the failure").isNotNull();
    assertThat(failure.conflictKind()).contains(kind);
  }

  public Job fresh(Job job) {
    return await(job.refresh()).orElseThrow();
  }

  /** A verticle with a worker pool of its own, which goes with it. */
  public String verticleWithAPoolOfItsOwn(Runnable start) {
    return await(vertx.deployVerticle(
        context -> {
          start.run();
          return Future.succeededFuture();
        },
        new DeploymentOptions()
            .setThreadingModel(ThreadingModel.WORKER)
            .setWorkerPoolName("its own")));
  }

  /** Waits, by asking again and again, where nothing signals. */
  public void until(Supplier<Future<Boolean>> condition) {
    Promise<Void> holds = Promise.promise();
    ask(condition, holds);
    await(holds.future());
  }

  public void untilState(Job job, JobState state) {
    until(() ->
        job.refresh().map(found -> found.filter(now -> now.state() == state).isPresent()));
  }

  private void ask(Supplier<Future<Boolean>> condition, Promise<Void> holds) {
    condition.get().onComplete(asked -> {
      if (asked.failed()) {
        holds.tryFail(asked.cause());
      } else if (asked.result()) {
        holds.tryComplete();
      } else {
        vertx.setTimer(5, again -> ask(condition, holds));
      }
    });
  }

  public static Future<JobResult> done() {
    return Future.succeededFuture(JobResult.done());
  }

  public static Future<JobResult> done(Object value) {
    return Future.succeededFuture(JobResult.done(value));
  }

  public static Future<JobResult> failed(String message) {
    return Future.failedFuture(new IllegalStateException(message));
  }
}
