package dev.runlane.benchmarks.jobs;

import dev.runlane.benchmarks.load.Measurement;
import dev.runlane.benchmarks.load.Targets;
import dev.runlane.benchmarks.measure.Bursts;
import dev.runlane.benchmarks.measure.Cpu;
import dev.runlane.benchmarks.measure.Latencies;
import dev.runlane.benchmarks.measure.ScratchServer;
import dev.runlane.benchmarks.measure.Seen;
import dev.runlane.benchmarks.subject.JobLoad;
import dev.runlane.jobs.JobGroup;
import dev.runlane.jobs.JobOptions;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.postgres.PgJobStore;
import dev.runlane.jobs.postgres.PgJobStoreOptions;
import dev.runlane.jobs.queue.JobEntry;
import dev.runlane.jobs.queue.JobQueue;
import dev.runlane.jobs.queue.JobWorker;
import dev.runlane.jobs.queue.Jobs;
import dev.runlane.jobs.queue.job.Job;
import dev.runlane.jobs.queue.job.JobHandler;
import dev.runlane.jobs.queue.job.JobProcessor;
import dev.runlane.jobs.queue.job.JobResult;
import dev.runlane.jobs.queue.options.JobWorkerOptions;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * The job queue on a scratch Postgres, and others beside it: how fast jobs are added and worked off, in general, one
 * at a time and in groups, how long an idle worker takes to start a job, and how long a cancellation takes to reach
 * a running handler. Every job is counted: a job that is lost or done twice ends the program with an error.
 */
public final class JobsProgram {
  private static final String TEXT = "x".repeat(200);
  private static final int A_CALL = 1_000;
  private static final int STARTS = 1_000;
  private static final int CANCELLATIONS = 100;

  private static final int SLOTS = 128;
  private static final int GROUPS = 500;
  private static final int CALLERS = 16;

  /** Jobs that are added one a call. */
  static final String ADD_ONE = "jobs-add-" + CALLERS;

  private final Vertx vertx = Vertx.vertx();
  private final ScratchServer server;
  private final PgConnectOptions address;
  private final PgJobStore store;
  private final Jobs jobs;
  private final List<Measurement> measured = new ArrayList<>();
  private int queues;

  private JobsProgram(ScratchServer server) {
    PostgresAddress database = server.createDatabase();
    this.server = server;
    this.address = PgConnectOptions.fromUri(database.toUri());
    this.store = PgJobStore.create(vertx, new PgJobStoreOptions().setConnectOptions(address));
    this.jobs = Jobs.create(vertx, store);
  }

  /**
   * {@code PROJECT [JOBS]}: the project's folder, and how many jobs are added and worked off; 50 000 unless given.
   */
  public static void main(String[] args) {
    int jobs = args.length > 1 ? Integer.parseInt(args[1]) : 50_000;
    System.out.println(Targets.table(measure(Path.of(args[0]), jobs)));
  }

  /** All that is measured with so many jobs; each figure is told when it is there. */
  public static List<Measurement> measure(Path project, int jobs) {
    try (ScratchServer server = ScratchServer.start(Map.of())) {
      System.out.println("On " + server.description());
      JobsProgram program = new JobsProgram(server);
      try {
        program.measureAll(project, new JobLoad(jobs, A_CALL, SLOTS));
      } finally {
        done(program.vertx.close()); // whose threads would otherwise outlive a failure
      }
      return program.measured;
    }
  }

  private void measureAll(Path project, JobLoad load) {
    JobLoad few = new JobLoad(load.jobs() / 10, A_CALL, 1);
    JobLoad added = new JobLoad(load.jobs() / 5, 1, CALLERS);
    done(store.connect());
    addAndDrain(load, 0); // the JVM's and the tables' warm-up
    addAndDrain(load, 0).forEach(this::tell);
    tell(addAndDrain(load.withSlots(JobsBeside.MANY), 0).get(1));
    addOneByOne(added);
    tell(addOneByOne(added));
    JobsBeside.measure(server, project, load, added).forEach(this::tell);
    tell(addAndDrain(few, 0).get(1));
    tell(addAndDrain(few.withSlots(SLOTS), GROUPS).get(1));
    tell(starts());
    tell(cancellations());
    done(jobs.close());
    done(store.disconnect());
  }

  private void tell(JsonObject result) {
    System.out.println(result.encode());
    measured.add(Measurement.told(result));
  }

  /** One job a call, with so many calls of one event loop under way as there are slots, until all are stored. */
  private JsonObject addOneByOne(JobLoad load) {
    JobQueue queue = queue();
    Used adding = used();
    done(Bursts.run(
        vertx.getOrCreateContext(),
        load.slots(),
        0,
        load.jobs(),
        number -> queue.add("job", note(number))));
    JsonObject added = used().since(adding, ADD_ONE, load);
    if (done(queue.count(JobState.WAITING)) != load.jobs()) {
      throw new IllegalStateException("not every job is stored");
    }
    return added;
  }

  /**
   * From the first call until all are stored, and from the worker's start until all are completed.
   *
   * @param groups how many groups the jobs are in, of which one job at a time may run; 0 for none
   */
  private List<JsonObject> addAndDrain(JobLoad load, int groups) {
    JobQueue queue = queue();
    Used adding = used();
    for (int from = 0; from < load.jobs(); from += load.jobsACall()) {
      done(queue.addBulk(IntStream.range(from, Math.min(load.jobs(), from + load.jobsACall()))
          .mapToObj(number -> new JobEntry("job", note(number), inGroup(number, groups)))
          .toList()));
    }
    JsonObject added = used().since(adding, "jobs-add", load);
    vacuum();
    Seen seen = new Seen(load.jobs());
    AtomicInteger left = new AtomicInteger(load.jobs());
    Promise<Void> last = Promise.promise();
    JobWorkerOptions options = new JobWorkerOptions().setConcurrency(load.slots());
    if (groups > 0) {
      options.setGroupConcurrency(1);
    }
    Used draining = used();
    JobWorker worker = worker(queue, options, (job, signal) -> {
      seen.add(job.dataAs(Note.class).number());
      if (left.decrementAndGet() == 0) {
        last.complete();
      }
      return Future.succeededFuture(JobResult.done());
    });
    done(last.future());
    done(worker.close()); // waits until what was handled is stored
    JsonObject drained =
        used().since(draining, groups > 0 ? "jobs-drain-groups" : "jobs-drain", load);
    seen.requireOnce(0, load.jobs());
    if (done(queue.count(JobState.COMPLETED)) != load.jobs()) {
      throw new IllegalStateException("not every job is completed");
    }
    return List.of(added, drained);
  }

  private static JobOptions inGroup(int number, int groups) {
    return groups == 0
        ? JobOptions.NONE
        : JobOptions.builder().group(JobGroup.of("group-" + number % groups)).build();
  }

  private Used used() {
    return new Used(
        System.nanoTime(),
        Cpu.ofProcess(ProcessHandle.current().pid()),
        Cpu.ofServer(server.pid()));
  }

  /** One job after the other, each added when the one before has started, to a worker that has nothing else to do. */
  private JsonObject starts() {
    JobQueue queue = queue();
    Latencies latencies = new Latencies(STARTS / 10, STARTS);
    Context home = vertx.getOrCreateContext();
    AtomicInteger number = new AtomicInteger();
    Runnable next =
        () -> queue.add("job", note(number.get())).onFailure(Throwable::printStackTrace);
    JobWorker worker = worker(queue, one(), (job, signal) -> {
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
      JobWorker worker = worker(queue, one(), (job, signal) -> {
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

  private JobWorker worker(JobQueue queue, JobWorkerOptions options, JobHandler handler) {
    return jobs.worker(queue.name(), JobProcessor.of(handler), options);
  }

  private static JobWorkerOptions one() {
    return new JobWorkerOptions().setConcurrency(1);
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

  /** What was used until some moment: time, and CPU of this process and of the server's. */
  private record Used(long nanos, long clientMicros, long serverMicros) {
    JsonObject since(Used before, String workload, JobLoad load) {
      double jobs = load.jobs();
      return new JsonObject()
          .put("workload", workload)
          .put("system", "runlane")
          .put("slots", load.slots())
          .put("jobs", load.jobs())
          .put("jobsPerSecond", Math.round(jobs / (nanos - before.nanos) * 1e9))
          .put("clientMicros", Math.round((clientMicros - before.clientMicros) / jobs))
          .put("serverMicros", Math.round((serverMicros - before.serverMicros) / jobs));
    }
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
