package dev.runlane.drills.fleet;

import dev.runlane.drills.fleet.WorkItem.Behaviour;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TriggerOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;

/**
 * What the kill drill triggers: item by item the same for the same seed, in whatever process and order. Even
 * numbers carry an idempotency key, odd ones a run id, so that each can be triggered again after a crash.
 *
 * @param seed of everything that varies
 */
public record Workload(long seed) {
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  /** The payload of an item. */
  WorkItem item(int number) {
    SplittableRandom random = random(number, 1);
    if (isCancelled(number)) {
      return new WorkItem(number, Behaviour.GIVE_UP_WHEN_ASKED, 1_500);
    }
    int part = random.nextInt(1_000);
    if (part < 3) {
      return new WorkItem(number, Behaviour.SUCCEED, 6_500); // longer than a lease
    }
    return new WorkItem(number, behaviour(part), random.nextInt(4) == 0 ? random.nextInt(40) : 0);
  }

  private static Behaviour behaviour(int part) {
    if (part < 80) {
      return Behaviour.FAIL_ONCE;
    }
    if (part < 160) {
      return Behaviour.RELEASE_ONCE;
    }
    if (part < 180) {
      return Behaviour.FAIL_ALWAYS;
    }
    return part < 200 ? Behaviour.FAIL_FOR_GOOD : Behaviour.SUCCEED;
  }

  /** Queue, keys and delay of an item. */
  TriggerOptions options(int number) {
    SplittableRandom random = random(number, 2);
    TriggerOptions options = new TriggerOptions();
    TaskQueue queue = queue(random.nextInt(100));
    options.setQueue(queue);
    if (queue == DrillTasks.NARROW) {
      options.setConcurrencyKey("n" + random.nextInt(20));
    } else if (queue == DrillTasks.PAIR) {
      options.setConcurrencyKey("p" + random.nextInt(10));
    } else if (queue == DrillTasks.WIDE
        && random.nextInt(10) > 0) { // else the partition without a key
      options.setConcurrencyKey("w" + random.nextInt(6));
    }
    if (random.nextInt(10) == 0) {
      options.setDelay(Duration.ofMillis(200 + random.nextInt(3_000)));
    }
    if (isSingleton(number)) {
      options.setSingletonKey("s" + random.nextInt(8));
    }
    return number % 2 == 0
        ? options.setIdempotencyKey(key(number))
        : options.setRunId(runId(number));
  }

  private static TaskQueue queue(int part) {
    if (part < 45) {
      return DrillTasks.FREE;
    }
    if (part < 60) {
      return DrillTasks.NARROW;
    }
    return part < 75 ? DrillTasks.PAIR : DrillTasks.WIDE;
  }

  /** The idempotency key of an even item; some share that of the one before. */
  public static String key(int number) {
    return "key-" + (number % 40 == 0 ? number + 2 : number);
  }

  /** The item that shares an item's idempotency key, or the item itself. */
  public static int sameKeyAs(int number) {
    return switch (number % 40) {
      case 0 -> number + 2;
      case 2 -> number - 2;
      default -> number;
    };
  }

  /** The run id of an odd item. */
  public static String runId(int number) {
    return String.format(Locale.ROOT, "run-%06d", number);
  }

  /** Whether the item has a singleton key, so that it may be answered by another run. */
  public static boolean isSingleton(int number) {
    return number % 25 == 3;
  }

  /** Whether the item is cancelled once it is triggered. */
  static boolean isCancelled(int number) {
    return number % 31 == 5;
  }

  private SplittableRandom random(int number, int purpose) {
    return new SplittableRandom((seed + purpose) ^ (number * SPREAD));
  }
}
