package dev.runlane.drills.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.drills.fleet.Drill;
import dev.runlane.drills.fleet.DrillTarget;
import dev.runlane.drills.jobs.JobHistory.Step;
import dev.runlane.drills.process.Await;
import dev.runlane.drills.process.JavaProcess;
import dev.runlane.jobs.AttemptRecord;
import dev.runlane.jobs.NewJob;
import dev.runlane.jobs.RateLimit;
import dev.runlane.run.Json;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class JobFleetDrillTest {
  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final int ITEMS = FULL ? 50_000 : 1_000;
  private static final int GROUPS = FULL ? 500 : 50;
  private static final int WORKERS = FULL ? 8 : 2;
  private static final int KILLS = FULL ? 24 : 1;
  private static final int ADDED_AT_ONCE = 500;
  private static final int ATTEMPTS_READ = 200;
  private static final Duration LOCK = Duration.ofSeconds(4);
  private static final Duration BOUND = Duration.ofMinutes(15);
  private static final Map<String, RateLimit> RATES = Map.of(JobWorkload.LIMITED, JobWorkload.RATE);

  private static final String OPEN = "SELECT count(*) FROM runlane.jobs"
      + " WHERE state IN ('waiting', 'delayed', 'waiting-children', 'active')";
  private static final String LEFT =
      "SELECT queue, state, count(*) FROM runlane.jobs GROUP BY queue, state ORDER BY queue, state";
  private static final String ENDS =
      "SELECT id, state, attempts_made, started_attempts, stalls FROM runlane.jobs";

  private final long seed = Long.getLong("drills.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final JobWorkload workload = new JobWorkload(seed, ITEMS, GROUPS);
  private final List<JavaProcess> workers = new ArrayList<>();
  private final Set<String> killed = new HashSet<>();

  @Test
  void jobs_of_groups_end_once_each_and_in_order_while_workers_are_killed() throws Exception {
    System.out.println("job fleet drill: " + ITEMS + " jobs, -Ddrills.seed=" + seed);

    Drill.run("job-fleet", LOCK, drill -> {
      JobRuntime adder = JobRuntime.open(drill.runtime().vertx(), drill.target(), "adder");
      try {
        JobTables.create(drill.database(), JobRuntime.SCHEMA);
        for (int index = 0; index < WORKERS; index++) {
          startWorker(drill);
        }
        workers.forEach(drill::awaitReady);
        Instant begun = Instant.now();
        runThrough(drill, adder);
        drill.report(
            ITEMS + " jobs in " + Duration.between(begun, Instant.now()).toSeconds() + " s");
        check(drill, adder);
      } finally {
        Await.result(adder.close());
      }
    });
  }

  /** Adds and kills at the same time, then waits for the end. */
  private void runThrough(Drill drill, JobRuntime adder) {
    int[] added = {0};
    try {
      Await.until("all jobs have ended", BOUND, () -> step(drill, adder, added));
    } catch (AssertionError late) {
      drill.report(drill
          .database()
          .rows(LEFT, row -> row.getString(1) + " " + row.getString(2) + " " + row.getLong(3))
          .toString());
      throw late;
    }
  }

  private boolean step(Drill drill, JobRuntime adder, int[] added) {
    if (added[0] < ITEMS) {
      add(adder, added[0], added[0] + ADDED_AT_ONCE);
      added[0] += ADDED_AT_ONCE;
    }
    long ended = added[0] - drill.database().number(OPEN);
    if (killed.size() < KILLS && ended >= (long) ITEMS * (killed.size() + 1) / (KILLS + 2)) {
      killOne(drill);
    }
    return ended == ITEMS;
  }

  private void add(JobRuntime adder, int from, int to) {
    Map<String, List<NewJob>> jobs = new LinkedHashMap<>();
    Instant now = Instant.now();
    for (int number = from; number < to; number++) {
      Json data = Json.ofChecked(JsonObject.mapFrom(workload.item(number)).encode());
      jobs.computeIfAbsent(workload.queue(number), queue -> new ArrayList<>())
          .add(NewJob.of("work", data, workload.options(number), now));
    }
    jobs.forEach((queue, some) -> {
      Await.result(adder.store().saveJobs(queue, some, now));
      adder.jobs().queue(queue).wake();
    });
  }

  private void startWorker(Drill drill) {
    String name = "worker-" + (workers.size() + killed.size());
    DrillTarget skewed = drill.target().withClockOffset(drill.target().randomOffset(random));
    workers.add(drill.fork(name, JobWorkerProgram.class, Drill.with(skewed, name)));
  }

  private void killOne(Drill drill) {
    JavaProcess victim = workers.remove(random.nextInt(workers.size()));
    victim.kill();
    killed.add(victim.name());
    startWorker(drill);
  }

  private void check(Drill drill, JobRuntime reader) {
    JobHistory history = JobHistory.read(drill.database(), JobRuntime.SCHEMA);
    assertThat(JobRules.violations(history, 1, RATES)).isEmpty();
    assertThatLimitsWereReached(history);
    assertThat(workers).allMatch(JavaProcess::isAlive);
    assertThat(killed).hasSize(KILLS);
    List<JobEnd> ends = drill
        .database()
        .rows(
            ENDS,
            row -> new JobEnd(
                row.getString(1), row.getString(2), row.getInt(3), row.getInt(4), row.getInt(5)));
    Map<String, Integer> handBacks = history.handBacks(LOCK.dividedBy(2));
    assertThat(ends)
        .hasSize(ITEMS)
        .allSatisfy(end -> checkEnd(end, handBacks.getOrDefault(end.jobId(), 0), history));
    List<JobEnd> lost = ends.stream().filter(end -> end.stalls() > 0).toList();
    lost.stream().limit(ATTEMPTS_READ).forEach(end -> checkAttempts(reader, end));
    drill.report(KILLS + " processes killed, " + lost.size() + " jobs lost and handed out again");
    for (String queue : List.of(JobWorkload.FREE, JobWorkload.LIMITED)) {
      drill.report(queue + " took " + tookMillis(history, queue) + " ms");
    }
    drill.report(losses(history) + " hand-outs lost by processes that lived");
    drill.report("at most " + mostWithin(history) + " hand-outs in a window of "
        + JobWorkload.RATE.max() + " by the database's clock");
  }

  /** One that is never near would be kept by anybody; on a slow machine the rate itself may not be reached. */
  private static void assertThatLimitsWereReached(JobHistory history) {
    assertThat(JobRules.violations(history, 0, Map.of()))
        .extracting(Violation::rule)
        .contains(Rule.LIMIT);
    RateLimit tighter = new RateLimit(JobWorkload.RATE.max() / 2, JobWorkload.RATE.duration());
    assertThat(JobRules.violations(history, 1, Map.of(JobWorkload.LIMITED, tighter)))
        .isNotEmpty()
        .allMatch(violation -> violation.rule() == Rule.RATE);
  }

  private void checkEnd(JobEnd end, int handBacks, JobHistory history) {
    JobItem item = workload.item(end.number());
    int ended = item.succeeds() ? 1 : 0;
    assertThat(end.state()).isEqualTo(item.succeeds() ? "completed" : "failed");
    assertThat(end.attemptsMade()).isEqualTo(item.failures());
    assertThat(end.startedAttempts() - end.attemptsMade() - end.stalls() - handBacks - ended)
        .as(() -> "snoozes of %s, handed back %d times: %s"
            .formatted(end, handBacks, history.ofJob(end.jobId())))
        .isBetween(
            item.snoozes() && end.stalls() == 0 && handBacks == 0 ? 1 : 0, item.snoozes() ? 1 : 0);
  }

  private void checkAttempts(JobRuntime reader, JobEnd end) {
    List<AttemptRecord> attempts =
        Await.result(reader.store().listAttempts(workload.queue(end.number()), end.jobId()));
    assertThat(attempts).as("history of %s", end).hasSize(end.startedAttempts());
    assertThat(attempts)
        .as("history of %s", end)
        .filteredOn(attempt -> "Job stalled".equals(attempt.error()))
        .hasSize(end.stalls());
  }

  /** A process that does not get the processor for as long as a lock lasts loses it. */
  private long losses(JobHistory history) {
    Map<String, Integer> stalls = new LinkedHashMap<>();
    long losses = 0;
    for (Step step : history.steps()) {
      Integer before = stalls.put(step.jobId(), step.stalls());
      if (before != null && step.stalls() > before && !killed.contains(step.worker())) {
        losses++;
      }
    }
    return losses;
  }

  private static long tookMillis(JobHistory history, String queue) {
    List<Instant> times = history.steps().stream()
        .filter(step -> step.queue().equals(queue) && step.was() != null)
        .map(Step::at)
        .sorted()
        .toList();
    return Duration.between(times.get(0), times.get(times.size() - 1)).toMillis();
  }

  /** The most hand-outs of the limited queue within a window, by when they were stored. */
  private static int mostWithin(JobHistory history) {
    List<Instant> times = history.steps().stream()
        .filter(step -> step.isHandOut() && step.queue().equals(JobWorkload.LIMITED))
        .map(Step::at)
        .sorted()
        .toList();
    int most = 0;
    int first = 0;
    for (int last = 0; last < times.size(); last++) {
      while (!times.get(first).plus(JobWorkload.RATE.duration()).isAfter(times.get(last))) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  /** What is left of one job. */
  private record JobEnd(
      String jobId, String state, int attemptsMade, int startedAttempts, int stalls) {
    int number() {
      return Integer.parseInt(jobId.substring(jobId.lastIndexOf('-') + 1));
    }
  }
}
