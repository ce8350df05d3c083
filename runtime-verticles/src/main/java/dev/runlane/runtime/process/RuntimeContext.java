package dev.runlane.runtime.process;

import dev.runlane.operator.task.KnownTask;
import dev.runlane.operator.task.ListTasks;
import dev.runlane.run.Environment;
import dev.runlane.run.QueuePolicy;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.runtime.host.RuntimeHost;
import dev.runlane.runtime.registry.Registry;
import dev.runlane.runtime.report.AttemptLog;
import dev.runlane.runtime.report.HandlerLog;
import dev.runlane.runtime.report.SignsOfLife;
import dev.runlane.runtime.report.ThroughputCounter;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What every role of a runtime works with.
 *
 * @param environment the scope of all data
 * @param storage the lane's, guarded: a role may call it without fear of a throw or of null
 * @param transport the lane's, guarded likewise
 * @param batch the storage's batch side, if it has one
 * @param waking the storage as one that wakes for what it creates, if it can with this transport
 * @param limits what holds of the limits of queues among all processes
 * @param pauses which queues an operator has paused
 * @param signs what this process says of itself
 * @param handlerLog what handlers write of their runs
 * @param throughput counts what this process does by minutes; empty where that is not wanted
 * @param clock where now is read
 * @param host the home context, timers and blocking calls
 * @param ids makes ids and tokens
 * @param randomness jitter and random picks
 * @param registry queues, tasks and schedules
 * @param notifications notifies the roles of this process of its commits
 * @param appends read, project, append
 * @param creations makes runs
 * @param leases the leases this process holds
 * @param attemptLog what attempts write to the log
 * @param observer is notified of what this process does; never throws
 * @param clockMonitor whether this process's clock is good enough to take leases and claims by
 * @param closeDeadline the deadline of this runtime's close
 * @param options limits and durations
 * @param remoteSteps what steps of other processes go through; empty where the runtime has no step transport
 */
public record RuntimeContext(
    Environment environment,
    StorageAdapter storage,
    TransportAdapter transport,
    Optional<BatchStorage> batch,
    Optional<StorageAdapter> waking,
    QueueLimits limits,
    QueuePauses pauses,
    SignsOfLife signs,
    HandlerLog handlerLog,
    Optional<ThroughputCounter> throughput,
    Clock clock,
    RuntimeHost host,
    Ids ids,
    Randomness randomness,
    Registry registry,
    LocalNotifications notifications,
    RunAppends appends,
    RunCreations creations,
    HeldLeases leases,
    AttemptLog attemptLog,
    GuardedObserver observer,
    ClockMonitor clockMonitor,
    CloseDeadline closeDeadline,
    RunlaneOptions options,
    Optional<RemoteSteps> remoteSteps) {
  /** What time it is for the storage, by the last measurement: what processes last gave signs of life by. */
  public Instant storageTime() {
    return clock.now().minus(clockMonitor.ahead());
  }

  /** What time it is for what this process writes, see {@link ClockMonitor#eventTime}. */
  public Instant eventTime() {
    return clockMonitor.eventTime();
  }

  /** What living processes have published of their queues. */
  public PublishedPolicies publishedPolicies() {
    return new PublishedPolicies(environment, storage, this::eventTime);
  }

  /** This process's own policy of a queue; of one that it does not have, what others publish, or empty. */
  public Future<Optional<QueuePolicy>> policyOf(String queue) {
    Optional<QueuePolicy> own = registry.queue(queue).map(TaskQueue::policy);
    return own.isPresent() ? Future.succeededFuture(own) : publishedPolicies().find(queue);
  }

  /** What a process last said of a task, or empty: nobody has, or the storage keeps nothing for operators. */
  public Future<Optional<KnownTask>> publishedTask(String taskId) {
    return storage
        .operator()
        .map(store -> store
            .listTasks(new ListTasks(environment, taskId, 1, null))
            .map(page -> page.data().stream().findFirst()))
        .orElseGet(() -> Future.succeededFuture(Optional.empty()));
  }

  /** Timers whose actions run on the context that schedules them. */
  public Timers timers() {
    return host.timers();
  }

  /**
   * What {@code work} comes to, done again after each failure that {@code pauseAfter} gives a pause for. No try waits
   * for a later one, so that very many need no more stack than one. What either function throws fails the
   * future, and so do timers that are closed.
   */
  public <T> Future<T> retrying(
      Supplier<Future<T>> work, Function<Throwable, Optional<Duration>> pauseAfter) {
    Promise<T> end = Promise.promise();
    tryOnce(work, pauseAfter, end);
    return end.future();
  }

  private <T> void tryOnce(
      Supplier<Future<T>> work,
      Function<Throwable, Optional<Duration>> pauseAfter,
      Promise<T> end) {
    Future.<Void>succeededFuture().compose(start -> work.get()).onComplete(tried -> {
      if (tried.succeeded()) {
        end.complete(tried.result());
        return;
      }
      Future.succeededFuture(tried.cause()).map(pauseAfter).onComplete(pause -> {
        if (pause.failed() || pause.result().isEmpty()) {
          end.fail(pause.failed() ? pause.cause() : tried.cause());
        } else {
          try {
            timers().schedule(pause.result().get(), () -> tryOnce(work, pauseAfter, end));
          } catch (Throwable vertxIsClosed) {
            end.fail(vertxIsClosed);
          }
        }
      });
    });
  }
}
