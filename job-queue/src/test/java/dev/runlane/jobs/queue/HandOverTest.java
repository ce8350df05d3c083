package dev.runlane.jobs.queue;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.queue.job.JobEvent;
import dev.runlane.jobs.queue.job.JobHandler;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/** What a worker asks its store for when a slot becomes free. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HandOverTest {
  private static final int JOBS = 20;

  private final Queue<String> calls = new ConcurrentLinkedQueue<>(); // added to by any thread
  private final AtomicInteger failures = new AtomicInteger();
  private Vertx vertx;
  private Jobs jobs;
  private JobQueue queue;

  @BeforeEach
  void open() {
    vertx = Vertx.vertx();
    MemoryJobStore real = new MemoryJobStore();
    jobs = Jobs.create(vertx, (JobStore) Proxy.newProxyInstance(
        JobStore.class.getClassLoader(),
        new Class<?>[] {JobStore.class},
        (proxy, method, arguments) -> call(real, method, arguments)));
    queue = jobs.queue("mail");
  }

  @AfterEach
  void close() {
    await(jobs.close());
    await(vertx.close());
  }

  @Test
  void a_freed_slot_gets_its_next_job_with_the_call_that_stores_the_last_ones_end() {
    addAll();
    AtomicInteger left = new AtomicInteger(JOBS);
    Promise<Void> last = Promise.promise();

    JobWorker worker = worker((job, signal) -> {
      if (left.decrementAndGet() == 0) {
        last.complete();
      }
      return Future.succeededFuture(JobResult.done());
    });
    await(last.future());
    await(worker.close());

    assertThat(await(queue.count(JobState.COMPLETED))).isEqualTo(JOBS);
    assertThat(calls).filteredOn("finishAndFetch"::equals).hasSizeGreaterThanOrEqualTo(JOBS - 1);
    assertThat(calls).filteredOn("finishJobs"::equals).hasSizeLessThanOrEqualTo(1);
    assertThat(calls).filteredOn("fetchNextJobs"::equals).hasSizeLessThan(JOBS / 2);
  }

  @Test
  void a_closing_worker_stores_how_its_job_ended_and_fetches_no_other() {
    addAll();
    Promise<JobResult> handler = Promise.promise();
    Promise<Void> started = Promise.promise();
    JobWorker worker = worker((job, signal) -> {
      started.complete();
      return handler.future();
    });
    await(started.future());

    Future<Void> closed = worker.close();
    handler.complete(JobResult.done());
    await(closed);

    assertThat(await(queue.count(JobState.COMPLETED))).isEqualTo(1);
    assertThat(await(queue.count(JobState.WAITING))).isEqualTo(JOBS - 1);
    assertThat(calls).contains("finishJobs").doesNotContain("finishAndFetch");
  }

  @Test
  void a_paused_worker_stores_how_its_job_ended_and_fetches_no_other() {
    addAll();
    Promise<JobResult> handler = Promise.promise();
    Promise<Void> started = Promise.promise();
    Promise<Void> completed = Promise.promise();
    JobWorker worker = worker((job, signal) -> {
      started.tryComplete();
      return handler.future();
    });
    worker.events().on(JobEvent.Type.COMPLETED, event -> completed.tryComplete());
    await(started.future());

    worker.pause();
    handler.complete(JobResult.done());
    await(completed.future());

    assertThat(await(queue.count(JobState.WAITING))).isEqualTo(JOBS - 1);
    assertThat(calls).contains("finishJobs").doesNotContain("finishAndFetch");
  }

  @Test
  void an_end_that_was_refused_together_with_a_fetch_is_stored_all_the_same() {
    addAll();
    failures.set(2);
    AtomicInteger handled = new AtomicInteger();
    AtomicInteger left = new AtomicInteger(JOBS);
    Promise<Void> last = Promise.promise();

    JobWorker worker = worker(options().setAutoStart(false), (job, signal) -> {
      handled.incrementAndGet();
      return Future.succeededFuture(JobResult.done());
    });
    worker.events().on(JobEvent.Type.COMPLETED, event -> {
      if (left.decrementAndGet() == 0) {
        last.complete();
      }
    });
    worker.start(); // not sooner: the first ends would be told to nobody
    await(last.future());

    assertThat(failures).hasNonPositiveValue();
    assertThat(handled).hasValue(JOBS);
    assertThat(await(queue.count(JobState.COMPLETED))).isEqualTo(JOBS);
  }

  private Object call(JobStore real, Method method, Object[] arguments) throws Throwable {
    calls.add(method.getName());
    if (method.getName().equals("finishAndFetch") && failures.getAndDecrement() > 0) {
      return Future.failedFuture(
          RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "not now"));
    }
    try {
      return method.invoke(real, arguments) instanceof Future<?> answer ? later(answer) : false;
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  /** Answers in a later turn, as a database does. */
  private <T> Future<T> later(Future<T> answer) {
    Promise<T> later = Promise.promise();
    answer.onComplete(result -> vertx.runOnContext(turn -> later.handle(result)));
    return later.future();
  }

  private void addAll() {
    await(queue.addBulk(
        IntStream.range(0, JOBS).mapToObj(number -> JobEntry.of("job", number)).toList()));
  }

  private JobWorker worker(JobHandler handler) {
    return worker(options(), handler);
  }

  private JobWorker worker(JobWorkerOptions options, JobHandler handler) {
    return jobs.worker("mail", JobProcessor.of(handler), options);
  }

  private static JobWorkerOptions options() {
    return new JobWorkerOptions().setConcurrency(1).setPollInterval(Duration.ofHours(1));
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.await(60, SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError(late);
    }
  }
}
