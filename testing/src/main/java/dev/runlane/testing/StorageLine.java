package dev.runlane.testing;

import dev.runlane.operator.OperatorStore;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageClock;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.ClaimRunLease;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.HeartbeatRunLease;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.StepStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How one process reaches the storage: with the faults that are planned, and not at all once it is dead.
 */
final class StorageLine {
  /** The parts of a storage that have calls of their own, by the method that answers them. */
  private static final Map<String, Class<?>> PARTS = Map.of(
      "batch", BatchStorage.class,
      "steps", StepStorage.class,
      "schedules", ScheduleStorage.class,
      "queueLimits", QueueLimitStorage.class,
      "operator", OperatorStore.class,
      "outbox", OutboxView.class,
      "clock", StorageClock.class,
      "cancellations", CancellationSource.class);

  private final Faults faults;
  private final Consumer<String> changed;
  private boolean dead;

  /** @param changed is told of each run that has gone on, other than by a heartbeat */
  StorageLine(Faults faults, Consumer<String> changed) {
    this.faults = faults;
    this.changed = changed;
  }

  /** The names of all calls that can fail. */
  static Set<String> callable() {
    Set<String> names = new TreeSet<>(futures(StorageAdapter.class));
    PARTS.values().forEach(part -> names.addAll(futures(part)));
    return names;
  }

  private static Set<String> futures(Class<?> type) {
    return Arrays.stream(type.getMethods())
        .filter(method -> method.getReturnType() == Future.class)
        .map(Method::getName)
        .collect(Collectors.toSet());
  }

  /** From now on no call has an effect or an answer. */
  void cut() {
    dead = true;
  }

  /** Whether its process is dead. */
  boolean isCut() {
    return dead;
  }

  StorageAdapter to(StorageAdapter storage) {
    return proxied(StorageAdapter.class, storage);
  }

  /** The same for another backend of the process, with no faults but its death. */
  <T> T toOther(Class<T> type, T target) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> dead && method.getReturnType() == Future.class
            ? Promise.promise().future()
            : WrappedTask.invoke(target, method, arguments)));
  }

  private <T> T proxied(Class<T> type, Object target) {
    return type.cast(Proxy.newProxyInstance(
        StorageLine.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> call(target, method, arguments)));
  }

  private @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    Class<?> part = PARTS.get(method.getName());
    if (part != null) {
      Optional<?> found =
          (Optional<?>) Objects.requireNonNull(WrappedTask.invoke(target, method, arguments));
      return found.map(any -> proxied(part, any));
    }
    if (method.getReturnType() != Future.class) {
      return WrappedTask.invoke(target, method, arguments);
    }
    if (dead) {
      return Promise.promise().future();
    }
    if (losesLease(arguments)) {
      return Future.failedFuture(Faults.outage());
    }
    Faults.Call fault = faults.ofCall(method.getName());
    if (fault == Faults.Call.FAILS) {
      return Future.failedFuture(Faults.outage());
    }
    Future<?> answer =
        (Future<?>) Objects.requireNonNull(WrappedTask.invoke(target, method, arguments));
    answer.onSuccess(done -> changedRuns(arguments, done).forEach(changed));
    return fault == Faults.Call.LOSES_REPLY
        ? answer.transform(done -> Future.failedFuture(Faults.outage()))
        : answer;
  }

  private boolean losesLease(Object @Nullable [] arguments) {
    return arguments != null
        && arguments.length == 1
        && arguments[0] instanceof HeartbeatRunLease heartbeat
        && faults.losesLease(heartbeat.runId(), heartbeat.event().lease().token());
  }

  /** Of many appends, the runs of those that succeeded. */
  private static Stream<String> stored(List<?> commands, @Nullable Object result) {
    return IntStream.range(0, commands.size())
        .filter(index -> commands.get(index) instanceof AppendRunEvents
            && result instanceof List<?> outcomes
            && outcomes.get(index) instanceof CommandOutcome.Succeeded)
        .mapToObj(index -> ((AppendRunEvents) commands.get(index)).runId());
  }

  /** The runs that a call has brought on, other than by a heartbeat. */
  private static Stream<String> changedRuns(
      @Nullable Object @Nullable [] arguments, @Nullable Object result) {
    Object command = arguments == null || arguments.length == 0 ? null : arguments[0];
    if (command instanceof AppendRunEvents append) {
      return Stream.of(append.runId());
    }
    if (command instanceof List<?> commands) {
      return stored(commands, result);
    }
    if (command instanceof ClaimRunLease claim) {
      return Stream.of(claim.runId());
    }
    return result instanceof ClaimedRuns claimed
        ? claimed.runs().stream().map(run -> run.run().id())
        : Stream.empty();
  }
}
