package dev.runlane.telemetry.metrics;

import dev.runlane.run.RunRecord;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The slots of this process's workers, and how many handlers run. What callers run one by one is counted as running,
 * but takes no worker's slot.
 */
final class Slots {
  private final Map<String, Integer> workers = new ConcurrentHashMap<>(); // slots by worker
  private final AtomicInteger running = new AtomicInteger();
  private final Map<String, AtomicInteger> busy = new ConcurrentHashMap<>(); // by worker

  void opened(String workerId, int slots) {
    workers.merge(workerId, slots, Integer::sum);
  }

  void closed(String workerId) {
    workers.remove(workerId);
    busy.remove(workerId);
  }

  void taken(RunRecord run) {
    running.incrementAndGet();
    add(run, 1);
  }

  void freed(RunRecord run) {
    running.decrementAndGet();
    add(run, -1);
  }

  private void add(RunRecord run, int count) {
    if (run.lease() != null && workers.containsKey(run.lease().workerId())) {
      busy.computeIfAbsent(run.lease().workerId(), worker -> new AtomicInteger())
          .addAndGet(count);
    }
  }

  double running() {
    return running.get();
  }

  double free() {
    int free = 0;
    for (Map.Entry<String, Integer> worker : workers.entrySet()) {
      AtomicInteger taken = busy.get(worker.getKey());
      free += Math.max(0, worker.getValue() - (taken == null ? 0 : taken.get()));
    }
    return free;
  }
}
