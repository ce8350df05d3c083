package dev.runlane.connector.controller;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The runs whose children are this process's. Safe for use by any thread. */
final class LiveRuns {
  private final Map<String, LiveRun> byId = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /** No run is to begin any more; those that do nevertheless are abandoned by who began them. */
  void close() {
    closed = true;
  }

  boolean isClosed() {
    return closed;
  }

  void add(String runId, LiveRun run) {
    byId.put(runId, run);
  }

  void remove(String runId) {
    byId.remove(runId);
  }

  Optional<LiveRun> find(String runId) {
    return Optional.ofNullable(byId.get(runId));
  }

  Collection<LiveRun> all() {
    return List.copyOf(byId.values());
  }
}
