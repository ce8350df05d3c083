package dev.runlane.jobs.queue.job;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Events inside one process. Listeners run in the order they were added, on the thread that emits, and must not
 * block. One that throws stops no other: what it throws is emitted as an error event, and what a listener of
 * error events throws goes to the log. Safe for use by any thread.
 */
public final class JobEventBus {
  private static final Logger LOG = LoggerFactory.getLogger(JobEventBus.class);

  private final Map<JobEvent.Type, CopyOnWriteArrayList<Consumer<JobEvent>>> listeners =
      new EnumMap<>(JobEvent.Type.class); // whose keys never change once it is made

  /** A bus without listeners. */
  public JobEventBus() {
    Arrays.stream(JobEvent.Type.values())
        .forEach(type -> listeners.put(type, new CopyOnWriteArrayList<>()));
  }

  /** Adds a listener; the same one for the same type twice counts once. */
  public JobEventBus on(JobEvent.Type type, Consumer<JobEvent> listener) {
    of(type).addIfAbsent(listener);
    return this;
  }

  /** Removes a listener. */
  public JobEventBus off(JobEvent.Type type, Consumer<JobEvent> listener) {
    of(type).remove(listener);
    return this;
  }

  /** Removes all listeners of a type. */
  public JobEventBus removeAllListeners(JobEvent.Type type) {
    of(type).clear();
    return this;
  }

  /** Removes all listeners. */
  public JobEventBus removeAllListeners() {
    listeners.values().forEach(List::clear);
    return this;
  }

  /** Calls the listeners of the event's type, now. */
  public void emit(JobEvent event) {
    for (Consumer<JobEvent> listener : of(event.type())) {
      try {
        listener.accept(event);
      } catch (Throwable thrown) { // whatever it is, who emits relies on going on
        listenerThrew(event, thrown);
      }
    }
  }

  /** Whether anybody listens to this type: then an event of it is worth making. */
  public boolean hasListeners(JobEvent.Type type) {
    return !of(type).isEmpty();
  }

  private void listenerThrew(JobEvent event, Throwable thrown) {
    if (event.type() == JobEvent.Type.ERROR || !hasListeners(JobEvent.Type.ERROR)) {
      LOG.warn(
          "a listener of {} events of queue {} threw", event.type(), event.queueName(), thrown);
    } else {
      emit(JobEvent.error(event.queueName(), thrown));
    }
  }

  private CopyOnWriteArrayList<Consumer<JobEvent>> of(JobEvent.Type type) {
    return Objects.requireNonNull(listeners.get(type));
  }
}
