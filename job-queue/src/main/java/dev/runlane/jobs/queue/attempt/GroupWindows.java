package dev.runlane.jobs.queue.attempt;

import dev.runlane.jobs.RateLimit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How often one worker was handed jobs of each group in the last while. */
public final class GroupWindows {
  private final RateLimit limit;
  private final Map<String, ArrayDeque<Duration>> handOuts = new HashMap<>();

  public GroupWindows(RateLimit limit) {
    this.limit = limit;
  }

  /** A job of a group was handed out. */
  public void served(String groupId, Duration now) {
    handOuts.computeIfAbsent(groupId, id -> new ArrayDeque<>()).add(now);
  }

  /** Groups that have had their share by now. */
  public Set<String> full(Duration now) {
    forgetBefore(now.minus(limit.duration()));
    Set<String> full = new HashSet<>();
    handOuts.forEach((group, times) -> {
      if (times.size() >= limit.max()) {
        full.add(group);
      }
    });
    return full;
  }

  /** Whether more groups are full than a fetch can pass over. */
  public boolean isBeyond(int most, Duration now) {
    return handOuts.size() > most && full(now).size() > most;
  }

  /** How long until the first of the full groups has room again; empty when none is full. */
  public Optional<Duration> untilAvailable(Duration now) {
    forgetBefore(now.minus(limit.duration()));
    return handOuts.values().stream()
        .filter(times -> times.size() >= limit.max())
        .map(times -> times.getFirst().plus(limit.duration()).minus(now))
        .min(Duration::compareTo);
  }

  private void forgetBefore(Duration oldest) {
    handOuts.values().removeIf(times -> {
      while (!times.isEmpty() && times.getFirst().compareTo(oldest) <= 0) {
        times.removeFirst();
      }
      return times.isEmpty();
    });
  }
}
