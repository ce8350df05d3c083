package dev.runlane.runtime.process;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.ListPausedQueues;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.PausedQueue;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.timing.SweepLoop;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which queues an operator has paused. Read each second while this process claims anything, and trusted for two: whoever
 * claims after that waits for another read, so a pause holds everywhere within 2 s. Nothing is paused where the storage
 * keeps nothing for operators. On the home context.
 */
public final class QueuePauses {
  /** How often the paused queues are read = 1 s. */
  static final Duration READ_INTERVAL = Duration.ofSeconds(1);

  /** For how long what was read is trusted, from when the question was sent = 2 s. */
  static final Duration TRUSTED = Duration.ofSeconds(2);

  private final Environment environment;
  private final Optional<OperatorStore> store;
  private final Timers timers;
  private final LocalNotifications notifications;
  private Set<String> paused = Set.of();
  private @Nullable Duration readAt; // when the question was sent, on the timers' own time
  private @Nullable SweepLoop loop;
  private boolean closed;

  /** Pauses that nobody has read yet. */
  public QueuePauses(
      Environment environment,
      Optional<OperatorStore> store,
      Timers timers,
      LocalNotifications notifications) {
    this.environment = environment;
    this.store = store;
    this.timers = timers;
    this.notifications = notifications;
  }

  /** Those of the queues that are not paused. Fails as the storage does where that is not known. */
  public Future<List<QueuePolicy>> running(List<QueuePolicy> queues) {
    return current()
        .map(names -> names.isEmpty()
            ? queues
            : queues.stream().filter(each -> !names.contains(each.queue())).toList());
  }

  /** Whether a queue is paused. */
  public Future<Boolean> isPaused(String queue) {
    return current().map(names -> names.contains(queue));
  }

  /** Fails with a conflict of kind {@code QUEUE_PAUSED} where the queue is paused. */
  public Future<Void> requireRunning(String queue) {
    return isPaused(queue)
        .compose(isPaused -> isPaused
            ? Future.failedFuture(RunlaneException.conflict(
                StorageConflictKind.QUEUE_PAUSED, "queue %s is paused", queue))
            : Future.succeededFuture());
  }

  /** Forgets what was read, so that this process's own pauses and resumes hold here at once. */
  public Future<Void> readAgain() {
    return store.isEmpty() ? Future.succeededFuture() : read().mapEmpty();
  }

  /** Reads no more. */
  public Future<Void> close() {
    closed = true;
    SweepLoop running = loop;
    loop = null;
    return running == null ? Future.succeededFuture() : running.stop();
  }

  private Future<Set<String>> current() {
    if (store.isEmpty()) {
      return Future.succeededFuture(Set.of());
    }
    if (readAt != null && timers.elapsed().minus(readAt).compareTo(TRUSTED) < 0) {
      return Future.succeededFuture(paused);
    }
    return read().onComplete(first -> keepReading());
  }

  private void keepReading() {
    if (loop == null && !closed) {
      loop =
          new SweepLoop(timers, "reader of paused queues", () -> read().map(false), READ_INTERVAL);
      loop.start();
    }
  }

  private Future<Set<String>> read() {
    Duration sentAt = timers.elapsed();
    return AdapterCall.of(
            "operator.listPausedQueues",
            () -> store.orElseThrow().listPausedQueues(new ListPausedQueues(environment)))
        .map(found -> {
          Set<String> names =
              found.stream().map(PausedQueue::queue).collect(Collectors.toUnmodifiableSet());
          took(names, sentAt);
          return names;
        });
  }

  /** Of answers that overtake each other, the one to the later question holds. */
  private void took(Set<String> names, Duration sentAt) {
    if (readAt != null && sentAt.compareTo(readAt) < 0) {
      return;
    }
    List<String> resumed = paused.stream().filter(each -> !names.contains(each)).toList();
    readAt = sentAt;
    paused = names;
    resumed.forEach(queue -> {
      notifications.queueResumed(queue);
      notifications.workAvailable(queue);
      notifications.dispatchChanged(queue);
    });
  }
}
