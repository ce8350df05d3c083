package dev.runlane.runtime;

import dev.runlane.transport.PublishWakeups;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import dev.runlane.transport.WakeupPublishOutcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** A transport that takes every wakeup and says when one is there; several processes may share it. */
public final class SharedTransport implements TransportAdapter {
  private final Queue<String> runs = new ConcurrentLinkedQueue<>();
  private final Map<Predicate<Queue<String>>, Promise<Void>> awaited = new ConcurrentHashMap<>();

  /** The result of a future that is a matter of milliseconds on an idle machine; its failure is thrown. */
  public static <T> T soon(Future<T> future) {
    try {
      return future.await(60, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      throw new AssertionError("still open after a minute: " + future, late);
    }
  }

  /** The runs of the wakeups taken so far. */
  public List<String> runs() {
    return List.copyOf(runs);
  }

  public Future<Void> of(String runId) {
    return when(taken -> taken.contains(runId));
  }

  public Future<Void> after(int number) {
    return when(taken -> taken.size() >= number);
  }

  Future<Void> when(Predicate<Queue<String>> condition) {
    Promise<Void> promise = Promise.promise();
    awaited.put(condition, promise);
    look();
    return promise.future();
  }

  private void look() {
    awaited.forEach((condition, promise) -> {
      if (condition.test(runs)) {
        promise.tryComplete();
      }
    });
  }

  @Override
  public Set<TransportCapability> capabilities() {
    return Set.of();
  }

  @Override
  public Future<List<WakeupPublishOutcome>> publishWakeups(PublishWakeups command) {
    command.attempts().forEach(attempt -> runs.add(attempt.message().runId()));
    look();
    return Future.succeededFuture(command.attempts().stream()
        .<WakeupPublishOutcome>map(attempt -> new WakeupPublishOutcome.Published(null))
        .toList());
  }
}
