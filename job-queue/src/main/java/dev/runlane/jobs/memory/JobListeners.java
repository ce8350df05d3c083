package dev.runlane.jobs.memory;

import dev.runlane.jobs.StoreEvent;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of a queue. Listeners are called by whoever publishes, which may be any thread. */
final class JobListeners {
  private static final Logger LOG = LoggerFactory.getLogger(JobListeners.class);

  private final Map<String, Set<Consumer<StoreEvent>>> queues = new ConcurrentHashMap<>();
  private final Consumer<Throwable> onError;

  JobListeners(@Nullable Consumer<Throwable> onError) {
    this.onError = onError != null
        ? onError
        : failure -> LOG.warn("a listener of a job queue failed", failure);
  }

  void add(String queueName, Consumer<StoreEvent> listener) {
    queues.compute(queueName, (name, before) -> {
      Set<Consumer<StoreEvent>> after =
          before == null ? new LinkedHashSet<>() : new LinkedHashSet<>(before);
      after.add(listener);
      return after;
    });
  }

  void remove(String queueName, Consumer<StoreEvent> listener) {
    queues.computeIfPresent(queueName, (name, before) -> {
      Set<Consumer<StoreEvent>> after = new LinkedHashSet<>(before);
      after.remove(listener);
      return after.isEmpty() ? null : after;
    });
  }

  void removeAll(String queueName) {
    queues.remove(queueName);
  }

  void clear() {
    queues.clear();
  }

  void deliver(StoreEvent event) {
    for (Consumer<StoreEvent> listener : List.copyOf(listeners(event.queueName()))) {
      if (listeners(event.queueName()).contains(listener)) {
        deliver(listener, event);
      }
    }
  }

  private Set<Consumer<StoreEvent>> listeners(String queueName) {
    return queues.getOrDefault(queueName, Set.of());
  }

  private void deliver(Consumer<StoreEvent> listener, StoreEvent event) {
    try {
      listener.accept(event);
    } catch (Exception | AssertionError thrown) {
      onError.accept(thrown);
    }
  }
}
