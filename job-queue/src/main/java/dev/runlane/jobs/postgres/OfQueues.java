package dev.runlane.jobs.postgres;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a store keeps for each queue, of the queues that were used last: in a process that lives for long, queues may
 * come and go. What is let go is made anew when its queue is used again. For any thread.
 *
 * @param <V> what is kept
 */
final class OfQueues<V> {
  /** Of how many queues at most = {@value}. */
  static final int MOST = 1_000;

  private final Supplier<V> made;
  private final Map<String, V> kept = new LinkedHashMap<>(16, 0.75f, true) {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<String, V> eldest) {
      return size() > MOST;
    }
  };

  /** Nothing yet; {@code made} makes what a queue lacks. */
  OfQueues(Supplier<V> made) {
    this.made = made;
  }

  synchronized V get(String queue) {
    V found = kept.get(queue);
    if (found == null) {
      found = made.get();
      kept.put(queue, found);
    }
    return found;
  }
}
