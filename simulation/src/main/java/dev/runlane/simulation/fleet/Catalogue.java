package dev.runlane.simulation.fleet;

import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.task.TaskQueue;
import java.time.Duration;
import java.util.List;

/** The queues and tasks of every simulated deployment, by name, and what checks know of them. */
public final class Catalogue {
  /** The interval of the schedule. */
  public static final Duration INTERVAL = Duration.ofSeconds(90);

  /** How long idempotency keys are kept. */
  public static final Duration KEY_TTL = Duration.ofMinutes(4);

  /** How often a run may fail at most. */
  public static final int MOST_FAILURES = 3;

  static final String OPEN = "open";
  static final String SHARED = "shared";
  static final String NARROW = "narrow";

  /** The limit of the shared queue, where a deployment has no other. */
  static final int SHARED_LIMIT = 2;

  static final String PLAIN = "plain";
  static final String SHARING = "sharing";
  static final String ONE_BY_ONE = "one-by-one";
  static final String UNIQUE = "unique";
  static final String SINGLE = "single";
  static final String ENDLESS = "endless";
  static final String BLOCKING = "blocking";
  static final String TICKING = "ticking";
  static final String SCHEDULE = "tick";
  static final String STEPPED = "stepped";
  static final String REMOTE = "remote";
  static final String POISON = "poison";
  static final String BRANCHING = "branching";

  /** How many attempts in a row a run of the poisonous task may lose. */
  static final int MOST_LOST = 2;

  /** The groups of the steps that are done by workers of other programs. */
  static final List<String> STEP_GROUPS = List.of("add");

  /** What callers trigger; the stepped and the bounded ones more often. */
  static final List<String> TRIGGERED = List.of(
      PLAIN,
      PLAIN,
      SHARING,
      SHARING,
      ONE_BY_ONE,
      UNIQUE,
      UNIQUE,
      SINGLE,
      ENDLESS,
      BLOCKING,
      STEPPED,
      STEPPED,
      REMOTE,
      REMOTE,
      REMOTE);

  private Catalogue() {}

  static List<TaskQueue> queues(int sharedLimit) {
    return List.of(
        TaskQueue.of(OPEN).asDefault(),
        TaskQueue.of(SHARED).concurrencyLimit(sharedLimit).dispatchTimeout(Duration.ofSeconds(40)),
        TaskQueue.of(NARROW).concurrencyLimit(1));
  }

  /** Whether the task of a run asks for what is refused, and so may fail by that. */
  public static boolean mayBeInvalid(RunRecord run) {
    return run.taskId().equals(BRANCHING);
  }

  /** The limits of the usual deployment. */
  public static List<QueuePolicy> policies() {
    return queues(SHARED_LIMIT).stream().map(TaskQueue::policy).toList();
  }
}
