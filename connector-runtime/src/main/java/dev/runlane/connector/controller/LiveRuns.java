package dev.runlane.connector.controller;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** The runs whose children are this process's, each with the context it lives on. Safe for use by any thread. */
final class LiveRuns {
  private final Map<String, Entry> byId = new ConcurrentHashMap<>();

  /** Adds a run of this context. */
  void add(String runId, LiveRun run, Context context) {
    byId.put(runId, new Entry(run, context));
  }

  void remove(String runId) {
    byId.remove(runId);
  }

  boolean contains(String runId) {
    return byId.containsKey(runId);
  }

  List<String> ids() {
    return List.copyOf(byId.keySet());
  }

  /** What {@code call} answers on the run's own context; empty when there is no such run here. */
  <T> Optional<Future<T>> on(String runId, Function<LiveRun, T> call) {
    return Optional.ofNullable(byId.get(runId)).map(entry -> entry.call(call));
  }

  private record Entry(LiveRun run, Context context) {
    <T> Future<T> call(Function<LiveRun, T> call) {
      Promise<T> answer = Promise.promise();
      context.runOnContext(
          turn -> Future.<Void>succeededFuture().map(start -> call.apply(run)).onComplete(answer));
      return answer.future();
    }
  }
}
