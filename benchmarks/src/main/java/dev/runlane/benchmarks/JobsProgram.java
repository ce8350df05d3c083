package dev.runlane.benchmarks;

import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.Job;
import dev.runlane.jobs.queue.JobEntry;
import dev.runlane.jobs.queue.JobHandler;
import dev.runlane.jobs.queue.JobProcessor;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.JobResult;
import dev.runlane.jobs.queue.JobWorker;
import dev.runlane.jobs.queue.JobWorkerOptions;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.testinfra.PostgresAddress;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * The job queue on a scratch Postgres: how fast jobs are added and worked off, in general and one at a time, how long
 * an idle worker takes to start a job, and how long a cancellation takes to reach a running handler. Every job is
 * counted: a job that is lost or done twice ends the program with an error.
 */
public final class JobsProgram {
  private static final String TEXT = "x".repeat(200);
  private static final int A_CALL = 1_000;
  private static final int STARTS = 1_000;
  private static final int CANCELLATIONS = 100;

  private final Vertx vertx = Vertx.vertx();
  private final PgConnectOptions address;
  private final PgJobStore store;
  private final Jobs jobs;
  private int queues;

  private JobsProgram(PostgresAddress database) {
    this.address = PgConnectOptions.fromUri(database.toUri());
    this.store = PgJobStore.create(vertx, new PgJobStoreOptions().setConnectOptions(address));
    this.jobs = Jobs.create(vertx, store);
  }

  /** {@code [JOBS]}: how many jobs are added and worked off; 50 000 unless given. */
  public static void main(String[] args) {
    int count = args.length > 0 ? Integer.parseInt(args[0]) : 50_000;
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      System.out.println("On " + server.description());
      JobsProgram program = new JobsProgram(server.createDatabase());
      done(program.store.connect());
      program.addAndDrain(count, 128); // the JVM's and the tables' warm-up
      program.addAndDrain(count, 128).forEach(each -> System.out.println(each.encode()));
      System.out.println(program.addAndDrain(count / 10, 1).get(1).encode());
      System.out.println(program.starts().encode());
      System.out.println(program.cancellations().encode());
      done(program.jobs.close());
      done(program.store.disconnect());
      done(program.vertx.close());
    }
  }

  /** From the first call until all are stored, and from the worker's start until all are completed. */
  private List<JsonObject> addAndDrain(int count, int concurrency) {
    JobQueue queue = queue();
    long began = System.nanoTime();
    for (int from = 0; from < count; from += A_CALL) {
      done(queue.addBulk(IntStream.range(from, Math.min(count, from + A_CALL))
          .mapToObj(number -> JobEntry.of("job", note(number)))
          .toList()));
    }
    double adding = (System.nanoTime() - began) / 1e9;
    vacuum();
    Seen seen = new Seen(count);
    AtomicInteger left = new AtomicInteger(count);
    Promise<Void> last = Promise.promise();
    began = System.nanoTime();
    JobWorker worker = worker(queue, concurrency, (job, signal) -> {
      seen.add(job.dataAs(Note.class).number());
      if (left.decrementAndGet() == 0) {
        last.complete();
      }
      return Future.succeededFuture(JobResult.done());
    });
    done(last.future());
    done(worker.close()); // waits until what was handled is stored
    double draining = (System.nanoTime() - began) / 1e9;
    seen.requireOnce(0, count);
    if (done(queue.count(JobState.COMPLETED)) != count) {
      throw new IllegalStateException("not every job is completed");
    }
    return List.of(
        new JsonObject()
            .put("workload", "jobs-add")
            .put("jobsACall", A_CALL)
            .put("jobs", count)
            .put("jobsPerSecond", Math.round(count / adding)),
        new JsonObject()
            .put("workload", "jobs-drain")
            .put("concurrency", concurrency)
            .put("jobs", count)
            .put("jobsPerSecond", Math.round(count / draining)));
  }

  /** One job after the other, each added when the one before has started, to a worker that has nothing else to do. */
  private JsonObject starts() {
    JobQueue queue = queue();
    Latencies latencies = new Latencies(STARTS / 10, STARTS);
    Context home = vertx.getOrCreateContext();
    AtomicInteger number = new AtomicInteger();
    Runnable next =
        () -> queue.add("job", note(number.get())).onFailure(Throwable::printStackTrace);
    JobWorker worker = worker(queue, 1, (job, signal) -> {
      long took = System.nanoTime() - job.dataAs(Note.class).sentNanos();
      home.runOnContext(turn -> {
        latencies.add(number.getAndIncrement(), took);
        if (number.get() < STARTS) {
          vertx.setTimer(2, later -> next.run()); // by then the worker has nothing to do again
        }
      });
      return Future.succeededFuture(JobResult.done());
    });
    home.runOnContext(turn -> next.run());
    done(latencies.complete());
    done(worker.close());
    return latencies.results().put("workload", "jobs-start").put("jobs", STARTS);
  }

  /** From the call that cancels until the handler's signal. */
  private JsonObject cancellations() {
    JobQueue queue = queue();
    Latencies latencies = new Latencies(CANCELLATIONS / 10, CANCELLATIONS);
    Context home = vertx.getOrCreateContext();
    for (int i = 0; i < CANCELLATIONS; i++) {
      int number = i;
      Promise<Void> started = Promise.promise();
      Promise<Long> signalled = Promise.promise();
      JobWorker worker = worker(queue, 1, (job, signal) -> {
        started.complete();
        return signal.fired().map(reason -> {
          signalled.complete(System.nanoTime());
          return JobResult.done();
        });
      });
      Job job = done(queue.add("job", note(i)));
      done(started.future());
      long began = System.nanoTime();
      done(job.cancel());
      long took = done(signalled.future()) - began;
      home.runOnContext(turn -> latencies.add(number, took));
      done(worker.close());
    }
    done(latencies.complete());
    return latencies.results().put("workload", "jobs-cancel").put("jobs", CANCELLATIONS);
  }

  private JobQueue queue() {
    return jobs.queue("queue-" + queues++);
  }

  private JobWorker worker(JobQueue queue, int concurrency, JobHandler handler) {
    return jobs.worker(
        queue.name(), JobProcessor.of(handler), new JobWorkerOptions().setConcurrency(concurrency));
  }

  private static Note note(int number) {
    return new Note(number, System.nanoTime(), TEXT);
  }

  private void vacuum() {
    done(PgConnection.connect(vertx, address)
        .compose(connection ->
            connection.query("VACUUM ANALYZE").execute().eventually(connection::close)));
  }

  private static <T> T done(Future<T> future) {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .orTimeout(10, TimeUnit.MINUTES)
        .join();
  }

  /**
   * The payload of a job.
   *
   * @param number which of its queue's jobs it is
   * @param sentNanos when it was made
   * @param text makes it as large as payloads are
   */
  public record Note(int number, long sentNanos, String text) {}
}
