package dev.runlane.benchmarks.compare;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.runlane.benchmarks.measure.Seen;
import dev.runlane.benchmarks.measure.Stopwatch;
import dev.runlane.benchmarks.subject.Payload;
import dev.runlane.benchmarks.subject.Phases;
import dev.runlane.benchmarks.subject.ProcessSettings;
import dev.runlane.benchmarks.subject.Role;
import dev.runlane.benchmarks.subject.Workload;
import dev.runlane.testinfra.postgres.PostgresAddress;
import io.vertx.core.json.JsonObject;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * A measured process of db-scheduler: one-time tasks, lock-and-fetch with the limits its documentation
 * gives for high throughput, HikariCP and pgjdbc. The phases are those of Runlane's process.
 */
public final class DbSchedulerProcess {
  private static final double LOWER_LIMIT = 1.0;
  private static final double UPPER_LIMIT = 4.0;
  private static final int MANY = 250;

  private final Phases phases = new Phases();
  private final ProcessSettings settings = phases.settings();
  private final Workload workload = settings.workload();
  private final Seen seen = new Seen(workload.allRuns());
  private final HikariDataSource pool = pool();
  private volatile CountDownLatch left = new CountDownLatch(0);
  private final OneTimeTask<String> task = Tasks.oneTime("noop", String.class)
      .execute((instance, context) -> {
        seen.add(Integer.parseInt(instance.getId()));
        left.countDown();
      });

  private DbSchedulerProcess() {}

  /** Reads its settings from standard input. */
  public static void main(String[] args) {
    try {
      new DbSchedulerProcess().run();
      System.exit(0);
    } catch (SQLException | InterruptedException | ExecutionException failure) {
      failure.printStackTrace();
      System.exit(1);
    }
  }

  private HikariDataSource pool() {
    PostgresAddress address = settings.address();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        "jdbc:postgresql://" + address.host() + ":" + address.port() + "/" + address.database());
    config.setUsername(address.user());
    config.setPassword(address.password());
    config.setMaximumPoolSize(Integer.getInteger("pool", 20));
    return new HikariDataSource(config);
  }

  private void run() throws SQLException, InterruptedException, ExecutionException {
    DbSchedulerTable.create(pool);
    switch (workload.role()) {
      case ENQUEUE, ENQUEUE_THREADS, ENQUEUE_MANY -> enqueue();
      case DRAIN -> drain();
      default -> throw new IllegalArgumentException("no such role here: " + workload.role());
    }
  }

  private void enqueue() throws InterruptedException, ExecutionException {
    Scheduler scheduler =
        Scheduler.create(pool, task).threads(1).build(); // only a client: not started
    phases.reach("started");
    create(scheduler, 0, workload.warmUp());
    phases.reach("ready");
    Stopwatch watch = Stopwatch.start();
    create(scheduler, workload.warmUp(), workload.allRuns());
    phases.reach("done", watch.results());
  }

  private void create(Scheduler scheduler, int from, int end)
      throws InterruptedException, ExecutionException {
    boolean many = workload.role() == Role.ENQUEUE_MANY;
    int step = many ? MANY : 1;
    ExecutorService callers = Executors.newFixedThreadPool(workload.concurrency());
    List<Future<?>> calls = new ArrayList<>();
    for (int number = from; number < end; number += step) {
      int first = number;
      int last = Math.min(end, number + step);
      calls.add(callers.submit(() -> schedule(scheduler, first, last)));
    }
    for (Future<?> call : calls) {
      call.get();
    }
    callers.shutdown();
  }

  private void schedule(Scheduler scheduler, int from, int end) {
    if (end - from == 1) {
      scheduler.schedule(instance(from), Instant.now());
    } else {
      List<TaskInstance<?>> instances = new ArrayList<>();
      IntStream.range(from, end).mapToObj(this::instance).forEach(instances::add);
      scheduler.scheduleBatch(instances, Instant.now());
    }
  }

  private TaskInstance<String> instance(int number) {
    return task.instance(String.valueOf(number), Payload.FILLER);
  }

  private void drain() throws InterruptedException {
    phases.reach("started");
    fillAndWork(0, workload.warmUp(), () -> {});
    JsonObject results =
        fillAndWork(workload.warmUp(), workload.allRuns(), () -> phases.reach("ready"));
    seen.requireOnce(0, workload.allRuns());
    phases.reach("done", results);
  }

  /** Until the last task is gone from the table, not only handled. */
  private JsonObject fillAndWork(int from, int end, Runnable filled) throws InterruptedException {
    Scheduler scheduler = Scheduler.create(pool, task)
        .threads(Integer.getInteger("threads", 20))
        .pollUsingLockAndFetch(LOWER_LIMIT, UPPER_LIMIT)
        .pollingInterval(Duration.ofMillis(100))
        .schedulerName(new SchedulerName.Fixed("load"))
        .build();
    for (int first = from; first < end; first += MANY) {
      schedule(scheduler, first, Math.min(end, first + MANY));
    }
    left = new CountDownLatch(end - from);
    filled.run();
    Stopwatch watch = Stopwatch.start();
    scheduler.start();
    left.await();
    JsonObject results = watch.results();
    scheduler.stop(); // waits for what is still being deleted
    return results;
  }
}
