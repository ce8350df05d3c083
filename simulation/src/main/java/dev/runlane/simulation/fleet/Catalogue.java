package dev.runlane.simulation.fleet;

import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.QueuePolicy;
import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TaskQueue;
import java.time.Duration;
import java.util.List;

/** The queues and tasks of every simulated deployment. */
public final class Catalogue {
  /** The interval of the schedule. */
  public static final Duration INTERVAL = Duration.ofSeconds(90);

  /** How long idempotency keys are kept. */
  public static final Duration KEY_TTL = Duration.ofMinutes(4);

  /** How often a run may fail at most. */
  public static final int MOST_FAILURES = 3;

  private static final TaskQueue OPEN = TaskQueue.of("open").asDefault();
  private static final TaskQueue SHARED =
      TaskQueue.of("shared").concurrencyLimit(2).dispatchTimeout(Duration.ofSeconds(40));
  private static final TaskQueue NARROW = TaskQueue.of("narrow").concurrencyLimit(1);

  static final List<TaskQueue> QUEUES = List.of(OPEN, SHARED, NARROW);

  private static final RetryPolicy THREE_TIMES =
      RetryPolicy.attempts(MOST_FAILURES).fixedDelay(Duration.ofSeconds(7));

  static final TaskDescription<Item> PLAIN =
      Task.define("plain", Item.class).retry(THREE_TIMES).description();
  static final TaskDescription<Item> SHARING = Task.define("sharing", Item.class)
      .queue(SHARED)
      .concurrencyKey(Item::key)
      .retry(THREE_TIMES)
      .description();
  static final TaskDescription<Item> ONE_BY_ONE =
      Task.define("one-by-one", Item.class).queue(NARROW).retry(THREE_TIMES).description();
  static final TaskDescription<Item> UNIQUE = Task.define("unique", Item.class)
      .idempotencyKey(Item::key, IdempotencyTtl.of(KEY_TTL))
      .retry(THREE_TIMES)
      .description();
  static final TaskDescription<Item> SINGLE = Task.define("single", Item.class)
      .singletonKey(Item::key)
      .retry(THREE_TIMES)
      .description();
  static final TaskDescription<Item> ENDLESS = Task.define("endless", Item.class)
      .queue(SHARED)
      .attemptTimeout(Duration.ofSeconds(45))
      .retry(THREE_TIMES)
      .description();
  static final TaskDescription<Item> STEPPED =
      Task.define("stepped", Item.class).retry(THREE_TIMES).description();
  static final TaskDescription<Item> TICKING = Task.define("ticking", Item.class)
      .schedule(Schedule.every("tick", INTERVAL)
          .payload(new Item(1, "tick"))
          .missedFires(MissedFires.latest()))
      .retry(THREE_TIMES)
      .description();

  /** What callers trigger; the stepped and the bounded ones more often. */
  static final List<TaskDescription<Item>> TRIGGERED = List.of(
      PLAIN, SHARING, SHARING, ONE_BY_ONE, UNIQUE, UNIQUE, SINGLE, ENDLESS, STEPPED, STEPPED);

  private Catalogue() {}

  /** The limits that must hold. */
  public static List<QueuePolicy> policies() {
    return QUEUES.stream().map(TaskQueue::policy).toList();
  }

  /** The tasks of one process, with its own handlers. */
  static List<TaskDescription<Item>> tasks(Handlers handlers, boolean oneMissing) {
    List<TaskDescription<Item>> all = List.of(
        PLAIN.handler(handlers::any),
        SHARING.handler(handlers::any),
        ONE_BY_ONE.handler(handlers::any),
        UNIQUE.handler(handlers::any),
        SINGLE.handler(handlers::any),
        ENDLESS.handler(handlers::endless),
        TICKING.handler(handlers::any),
        STEPPED.handler(handlers::stepped));
    return oneMissing ? all.subList(0, all.size() - 1) : all;
  }
}
