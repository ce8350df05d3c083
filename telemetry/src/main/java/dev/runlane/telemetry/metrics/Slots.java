package dev.runlane.telemetry.metrics;

import dev.runlane.run.RunRecord;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * The slots of this process's workers, and how many handlers run. What callers run one by one is counted as running,
 * but takes no worker's slot. Several workers may have one id: whichever of them stops is taken for the one that began
 * first.
 */
final class Slots {
  private final Map<String, List<Integer>> workers =
      new ConcurrentHashMap<>(); // by id, the slots of each that has it
  private final AtomicInteger running = new AtomicInteger();
  private final Map<String, AtomicInteger> busy = new ConcurrentHashMap<>(); // by worker

  void opened(String workerId, int slots) {
    workers.merge(
        workerId, List.of(slots), (before, added) -> Stream.concat(before.stream(), added.stream())
            .toList());
  }

  void closed(String workerId) {
    List<Integer> left = workers.computeIfPresent(
        workerId,
        (id, slots) -> slots.size() == 1 ? null : List.copyOf(slots.subList(1, slots.size())));
    if (left == null) {
      busy.remove(workerId);
    }
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
    for (Map.Entry<String, List<Integer>> worker : workers.entrySet()) {
      AtomicInteger taken = busy.get(worker.getKey());
      int slots = worker.getValue().stream().mapToInt(Integer::intValue).sum();
      free += Math.max(0, slots - (taken == null ? 0 : taken.get()));
    }
    return free;
  }
}
