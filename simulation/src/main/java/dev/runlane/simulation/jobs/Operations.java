package dev.runlane.simulation.jobs;

import java.util.HashSet;
import java.util.Set;

/** What operators asked for so far, whether or not it was answered. */
final class Operations {
  private final Set<String> cancelled = new HashSet<>();
  private final Set<String> removed = new HashSet<>();
  private final Set<String> drained = new HashSet<>();
  private boolean retried;

  void cancels(String key) {
    cancelled.add(key);
  }

  void removes(String key) {
    removed.add(key);
  }

  void drains(String queue) {
    drained.add(queue);
  }

  void retries() {
    retried = true;
  }

  boolean hasCancelled(String key) {
    return cancelled.contains(key);
  }

  boolean hasRemoved(String key, String queue) {
    return removed.contains(key) || drained.contains(queue);
  }

  boolean hasRetried() {
    return retried;
  }
}
