package dev.runlane.runtime.process;

import dev.runlane.adapter.AdapterCall;
import dev.runlane.operator.OperatorStore;
import dev.runlane.operator.queue.ListPausedQueues;
import dev.runlane.operator.queue.PausedQueue;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunlaneException;
import dev.runlane.run.StorageConflictKind;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.timing.SweepLoop;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which queues an operator has paused. Read each second while somebody asks or something is paused, and trusted for
 * two: whoever claims after that waits for another read, so a pause holds everywhere within 2 s, and a process with
 * nothing to do reads nothing. Nothing is paused where the storage keeps nothing for operators. Asked from any thread,
 * read on the home context.
 */
public final class QueuePauses {
  /** How often the paused queues are read = 1 s. */
  static final Duration READ_INTERVAL = Duration.ofSeconds(1);

  /** For how long what was read is trusted, from when the question was sent = 2 s. */
  static final Duration TRUSTED = Duration.ofSeconds(2);

  private final Environment environment;
  private final Optional<OperatorStore> store;
  private final RuntimeHost host;
  private final LocalNotifications notifications;
  private volatile @Nullable Answer last; // written on the home context
  private volatile boolean isAsked;
  private @Nullable SweepLoop loop;
  private @Nullable Future<Set<String>> underWay; // shared by those that need no newer one
  private @Nullable Future<Set<String>> afresh; // sent last for those that need a new answer
  private @Nullable Future<Set<String>> next; // that will be sent when it is answered
  private boolean closed;

  /** Pauses that nobody has read yet. */
  public QueuePauses(
      Environment environment,
      Optional<OperatorStore> store,
      RuntimeHost host,
      LocalNotifications notifications) {
    this.environment = environment;
    this.store = store;
    this.host = host;
    this.notifications = notifications;
  }

  /** Those of the queues that are not paused. Fails as the storage does where that is not known. */
  public Future<List<QueuePolicy>> running(List<QueuePolicy> queues) {
    return unpaused(queues, QueuePolicy::queue);
  }

  /** What is of queues that are not paused. Fails as the storage does where that is not known. */
  public <T> Future<List<T>> unpaused(List<T> all, Function<T, String> queue) {
    return current().map(names -> without(names, all, queue));
  }

  /** What is of queues that were not paused when that was read last, however long ago. */
  public <T> List<T> notKnownToBePaused(List<T> all, Function<T, String> queue) {
    Answer known = last;
    return known == null ? all : without(known.paused(), all, queue);
  }

  /** Whether a queue is paused. */
  public Future<Boolean> isPaused(String queue) {
    return current().map(names -> names.contains(queue));
  }

  /**
   * Whether a queue is paused now; that it is comes from a question sent after this call. So what is ignored for it was
   * stored before the resume, and whoever looks for it after the resume finds it.
   */
  public Future<Boolean> isPausedNow(String queue) {
    return isPaused(queue)
        .compose(paused -> paused
            ? host.call(this::readAfresh).map(names -> names.contains(queue))
            : Future.succeededFuture(false));
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
    return store.isEmpty() ? Future.succeededFuture() : host.call(this::read).mapEmpty();
  }

  /** Reads no more. On the home context. */
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
    isAsked = true;
    Answer known = last;
    return known != null && elapsed().minus(known.sentAt()).compareTo(TRUSTED) < 0
        ? Future.succeededFuture(known.paused())
        : host.call(() -> shared().onComplete(first -> keepReading()));
  }

  private static <T> List<T> without(Set<String> paused, List<T> all, Function<T, String> queue) {
    return paused.isEmpty()
        ? all
        : all.stream().filter(each -> !paused.contains(queue.apply(each))).toList();
  }

  /** What nobody asked for since it was read last is not read again, unless somebody waits for the end of a pause. */
  private Future<Boolean> readIfWanted() {
    Answer known = last;
    if (!isAsked && known != null && known.paused().isEmpty()) {
      return Future.succeededFuture(false);
    }
    isAsked = false;
    return shared().map(false);
  }

  private void keepReading() {
    if (loop == null && !closed) {
      loop = new SweepLoop(
          host.timers(),
          "reader of paused queues",
          this::readIfWanted,
          host.pollPause(READ_INTERVAL));
      loop.start();
    }
  }

  /** The read under way where there is one. */
  private Future<Set<String>> shared() {
    Future<Set<String>> sent = underWay;
    if (sent == null || sent.isComplete()) {
      sent = read();
      underWay = sent;
    }
    return sent;
  }

  /** One question at a time: those that ask meanwhile share the next. */
  private Future<Set<String>> readAfresh() {
    Future<Set<String>> sent = afresh;
    if (sent == null || sent.isComplete()) {
      afresh = read();
      return afresh;
    }
    Future<Set<String>> shared = next;
    if (shared == null) {
      shared = sent.transform((names, failure) -> {
        next = null;
        afresh = read();
        return afresh;
      });
      next = shared;
    }
    return shared;
  }

  private Future<Set<String>> read() {
    Duration sentAt = elapsed();
    return AdapterCall.of(
            "operator.listPausedQueues",
            () -> store.orElseThrow().listPausedQueues(new ListPausedQueues(environment)))
        .compose(found -> host.call(() -> {
          Set<String> names =
              found.stream().map(PausedQueue::queue).collect(Collectors.toUnmodifiableSet());
          took(names, sentAt);
          return Future.succeededFuture(names);
        }));
  }

  /** Of answers that overtake each other, the one to the later question holds. */
  private void took(Set<String> names, Duration sentAt) {
    Answer before = last;
    if (before != null && sentAt.compareTo(before.sentAt()) < 0) {
      return;
    }
    last = new Answer(names, sentAt);
    if (before != null) {
      before.paused().stream().filter(each -> !names.contains(each)).forEach(queue -> {
        notifications.queueResumed(queue);
        notifications.workAvailable(queue);
        notifications.dispatchChanged(queue);
      });
    }
  }

  private Duration elapsed() {
    return host.timers().elapsed();
  }

  /** The paused queues, and when the question was sent, on the timers' own time. */
  private record Answer(Set<String> paused, Duration sentAt) {}
}
