package dev.runlane.simulation.jobs;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.JobSchedule;
import dev.runlane.jobs.JobState;
import dev.runlane.jobs.store.JobChecks;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.simulation.network.Line;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The rows of the store: looked at after each command that may have changed one. */
final class StoredJobs implements Line {
  private static final int ALL = JobChecks.MOST_ENTRIES;
  private static final List<String> LOOKS = List.of(
      "get",
      "list",
      "count",
      "search",
      "find",
      "publish",
      "subscribe",
      "unsubscribe",
      "connect",
      "disconnect",
      "extend");

  private static final List<JobState> STATES = List.of(JobState.values());

  private final JobStore store;
  private final JobRowRules rules;
  private final Map<String, Boolean> isLook = new HashMap<>(); // by method
  private final Set<String> seen = new HashSet<>();
  private final Set<String> fired = new HashSet<>();
  private Map<String, JobData> rows = new LinkedHashMap<>();

  StoredJobs(JobStore store, JobRowRules rules) {
    this.store = store;
    this.rules = rules;
  }

  static String key(JobData job) {
    return job.queueName() + "/" + job.id();
  }

  @Override
  public Future<?> call(String method, Supplier<Future<?>> execute) {
    Future<?> done = execute.get();
    if (!isLook.computeIfAbsent(method, name -> LOOKS.stream().anyMatch(name::startsWith))
        && !(done.result() instanceof List<?> none && none.isEmpty())) {
      look(method);
    }
    return done;
  }

  @Override
  public <T> Consumer<T> pushes(Consumer<T> listener) {
    return listener;
  }

  /** What is stored. */
  List<JobData> all() {
    return List.copyOf(rows.values());
  }

  /** Jobs of the queues that are worked on that have not ended. */
  List<JobData> open() {
    return rows.values().stream()
        .filter(job -> !job.state().isTerminal() && !job.queueName().equals(JobQueues.LETTERS))
        .toList();
  }

  /** Every job that was ever there: its queue and its id. */
  Set<String> seen() {
    return seen;
  }

  /** How often a schedule has fired, by its own row. */
  long fires(String queue, String schedule) {
    return store.getSchedule(queue, schedule).result().map(JobSchedule::fired).orElse(0L);
  }

  /** Jobs that were made by schedules. */
  long firedJobs() {
    return fired.size();
  }

  @SuppressWarnings("ReferenceEquality") // a row that was not written is the same object
  private void look(String method) {
    Map<String, JobData> before = rows;
    rows = read();
    seen.addAll(rows.keySet());
    List<JobRowRules.Step> steps = new ArrayList<>();
    before.forEach((key, was) -> {
      JobData now = rows.get(key);
      if (now != was) {
        steps.add(new JobRowRules.Step(key, was, now));
      }
    });
    rows.forEach((key, now) -> {
      if (!before.containsKey(key)) {
        steps.add(new JobRowRules.Step(key, null, now));
        if (now.scheduleKey() != null) {
          fired.add(key);
        }
      }
    });
    rules.steps(
        method, steps, rows.values(), queue -> store.getPausedJobNames(queue).result());
  }

  private Map<String, JobData> read() {
    Map<String, JobData> found = new LinkedHashMap<>();
    for (String queue : JobQueues.ALL) {
      for (JobState state : STATES) {
        store.listJobs(queue, state, 0, ALL).result().forEach(job -> found.put(key(job), job));
      }
    }
    return found;
  }
}
