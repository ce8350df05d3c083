package dev.runlane.jobs.postgres.life;

import dev.runlane.timing.Timers;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far this store's fetches got in the marks of each queue's groups, so that none walks over those that are gone.
 * Forgotten after a second, and after a fetch that found fewer jobs than it wanted: the mark of a slow transaction,
 * whose number is smaller than those of others that were seen before it, is passed over that long at most, and only
 * while there are other jobs.
 */
final class MarkWalks {
  /** Before every mark. */
  static final long BEGINNING = 0;

  private static final Duration REMEMBERED = Duration.ofSeconds(1);

  private final Timers timers;
  private final Map<String, Walk> walks = new ConcurrentHashMap<>();

  MarkWalks(Timers timers) {
    this.timers = timers;
  }

  /** The number that the next walk begins with. */
  long next(String queue) {
    Walk walk = walks.get(queue);
    return walk == null || isOver(walk) ? BEGINNING : walk.next();
  }

  /**
   * Remembers a walk.
   *
   * @param last the last number that was looked at
   * @param isFull whether the fetch found as many jobs as it wanted
   */
  void move(String queue, long last, boolean isFull) {
    if (!isFull) {
      walks.remove(queue);
    } else {
      walks.compute(
          queue,
          (key, walk) -> walk == null || isOver(walk)
              ? new Walk(last + 1, timers.elapsed().plus(REMEMBERED))
              : new Walk(Math.max(walk.next(), last + 1), walk.until()));
    }
  }

  private boolean isOver(Walk walk) {
    return timers.elapsed().compareTo(walk.until()) > 0;
  }

  private record Walk(long next, Duration until) {}
}
