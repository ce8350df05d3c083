package dev.runlane.simulation.fleet;

import dev.runlane.run.ContractDefaults;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.world.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The queues and tasks of every simulated deployment, by name, and what checks know of them. */
public final class Catalogue {
  /** The interval of the schedule. */
  public static final Duration INTERVAL = Duration.ofSeconds(90);

  /** How long idempotency keys are kept. */
  public static final Duration KEY_TTL = Duration.ofMinutes(4);

  /** How often a run may fail at most. */
  public static final int MOST_FAILURES = 3;

  /** How long an attempt of the endless task may take. */
  public static final Duration TIMEOUT = Duration.ofSeconds(45);

  /** When such an attempt is over at the latest, in microseconds since its handler was called. */
  public static final long TIMED_OUT_MICROS =
      VirtualTime.micros(TIMEOUT.plus(RunlaneOptions.DEFAULT_ATTEMPT_TIMEOUT_GRACE));

  /** How long the dispatcher holds a slot of a bounded queue. */
  static final Duration DISPATCH_TIMEOUT = Duration.ofSeconds(40);

  static final Duration RETRY_DELAY = Duration.ofSeconds(7);

  static final String OPEN = "open";
  static final String SHARED = "shared";
  static final String NARROW = "narrow";

  /** The limit of the shared queue, where a deployment has no other. */
  static final int SHARED_LIMIT = 2;

  static final String PLAIN = "plain";
  static final String SHARING = "sharing";
  static final String ONE_BY_ONE = "one-by-one";
  static final String UNIQUE = "unique";
  /** The task that refuses another payload under a key that is owned. */
  public static final String REFUSING = "refusing";

  static final String SINGLE = "single";
  /** The task of which some attempts never end by themselves. */
  public static final String ENDLESS = "endless";

  static final String BLOCKING = "blocking";
  /** The task of the schedule that operators know. */
  public static final String TICKING = "ticking";

  static final String SCHEDULE = "tick";
  /** The task of local steps, of which some stumble in the first attempt. */
  public static final String STEPPED = "stepped";

  static final String REMOTE = "remote";
  /** The task that kills its processes. */
  public static final String POISON = "poison";

  /** The task that asks for everything, also for what is refused. */
  public static final String BRANCHING = "branching";

  /** The task of local steps whose results are never the same again. */
  public static final String RECALLED = "recalled";

  /** The task of schedules of every kind. */
  public static final String CLOCKED = "clocked";

  /** How many attempts in a row a run of the poisonous task may lose. */
  public static final int MOST_LOST = 2;

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

  /** Of what somebody asks for many in one call. */
  static final List<String> ASKED_FOR_TOGETHER =
      List.of(REFUSING, REFUSING, REFUSING, UNIQUE, SINGLE, PLAIN, SHARING);

  private Catalogue() {}

  static List<TaskQueue> queues(int sharedLimit) {
    return List.of(
        TaskQueue.of(OPEN).asDefault(),
        sharedLimit == Fault.NO_LIMIT
            ? TaskQueue.of(SHARED)
            : TaskQueue.of(SHARED).concurrencyLimit(sharedLimit).dispatchTimeout(DISPATCH_TIMEOUT),
        TaskQueue.of(NARROW).concurrencyLimit(1));
  }

  /** Whether handlers of a task wait for steps or sleeps. */
  public static boolean hasSteps(String task) {
    return task.equals(STEPPED)
        || task.equals(REMOTE)
        || task.equals(BRANCHING)
        || task.equals(RECALLED);
  }

  /** The queue of a task's runs. */
  public static String queueOf(String task) {
    return switch (task) {
      case SHARING, ENDLESS -> SHARED;
      case ONE_BY_ONE -> NARROW;
      default -> OPEN;
    };
  }

  /** The keys of a task's run. */
  public static RunKeys keysOf(String task, Item item) {
    return switch (task) {
      case SHARING -> RunKeys.NONE.withConcurrencyKey(item.key());
      case UNIQUE, REFUSING ->
        RunKeys.NONE.withIdempotencyKey(item.key(), IdempotencyTtl.of(KEY_TTL));
      case SINGLE -> RunKeys.NONE.withSingletonKey(item.key());
      default -> RunKeys.NONE;
    };
  }

  /** How many attempts in a row a run of a task may lose. */
  public static int mostLost(String task) {
    return task.equals(POISON) ? MOST_LOST : ContractDefaults.MAX_LOST_ATTEMPTS;
  }

  /** How long a slot of a queue is held for a wakeup. */
  public static Duration dispatchTimeout(String queue) {
    return queue.equals(SHARED) ? DISPATCH_TIMEOUT : ContractDefaults.DISPATCH_RESERVATION;
  }

  /** When a run is due again that has failed so often, the last time at {@code at}. */
  public static Instant retryAt(Instant at, int failures) {
    return at.plus(RETRY_DELAY);
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
