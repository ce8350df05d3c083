package dev.runlane.runtime;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepTransport;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CancellationSource;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.StepStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A real storage whose calls can be made to fail, before or after they took effect. */
public final class Faults {
  private final StorageAdapter real;
  private final Map<String, List<Fault>> planned = new HashMap<>();
  private final Set<String> broken = new HashSet<>();
  private final Map<String, RunlaneException> refused = new HashMap<>();
  private final Map<String, Integer> calls = new HashMap<>();
  private final Map<String, UnaryOperator<Object>> forgotten = new HashMap<>();
  private @Nullable String unreadable;
  private boolean withoutBatch;
  private BooleanSupplier passedOver = () -> false;
  private @Nullable CancellationSource cancellations;
  private boolean killed;

  public Faults(StorageAdapter real) {
    this.real = real;
  }

  /** The next call of the method fails without effect. */
  public void fail(String method) {
    fail(method, outage());
  }

  /** The next call of the method fails so, without effect. */
  public void fail(String method, RunlaneException failure) {
    plan(method, () -> {}, Effect.NONE, failure);
  }

  /** The next {@code times} calls of the method fail without effect. */
  public void fail(String method, int times) {
    for (int call = 0; call < times; call++) {
      fail(method);
    }
  }

  /** Every call of the method fails without effect from now on. */
  public void failForEver(String method) {
    broken.add(method);
  }

  /** Every call of the method fails so, without effect, until it is mended. */
  public void refuse(String method, RunlaneException failure) {
    refused.put(method, failure);
  }

  public void mend(String method) {
    refused.remove(method);
  }

  /** The next call of the method takes effect, but its caller learns of an outage. */
  public void loseReply(String method) {
    plan(method, () -> {}, Effect.BEFORE_FAILURE, outage());
  }

  /** The next call of the method is answered so, without effect: what it did was lost with a server. */
  public void forget(String method, UnaryOperator<Object> answer) {
    forgotten.put(method, answer);
  }

  /** What the next append of events stores is lost with a server after it was answered. */
  public void forgetAppend() {
    forget(
        "appendRunEvents",
        append -> new AppendedRun(((AppendRunEvents) append).projectedRun(), List.of(), List.of()));
  }

  /** Something else happens just before the next call of the method. */
  public void before(String method, Runnable event) {
    plan(method, event, Effect.ALONE, outage());
  }

  /** The next call of the method takes effect at once, but its reply waits until the promise is completed. */
  public Promise<Void> hold(String method) {
    Promise<Void> released = Promise.promise();
    planned
        .computeIfAbsent(method, name -> new ArrayList<>())
        .add(new Fault(() -> {}, Effect.HELD, released, outage()));
    return released;
  }

  /** The next call of the method is never answered, and takes effect only when the promise is completed. */
  Promise<Void> hang(String method) {
    Promise<Void> released = Promise.promise();
    planned
        .computeIfAbsent(method, name -> new ArrayList<>())
        .add(new Fault(() -> {}, Effect.LATE, released, outage()));
    return released;
  }

  /** The process dies with the call of the method that is made after so many others, without effect. */
  public void dieBefore(String method, int others) {
    leaveAlone(method, others);
    plan(method, this::kill, Effect.DEAD_BEFORE, outage());
  }

  /** The process dies with the call of the method that is made after so many others, which takes effect. */
  public void dieAfter(String method, int others) {
    leaveAlone(method, others);
    plan(method, () -> {}, Effect.DEAD_AFTER, outage());
  }

  private void leaveAlone(String method, int calls) {
    for (int call = 0; call < calls; call++) {
      before(method, () -> {});
    }
  }

  /** Claims find runs locked by somebody else, who leaves them as they are, while {@code held} says so. */
  public void passOverRunsWhile(BooleanSupplier held) {
    passedOver = held;
  }

  /** Whoever reads this run, alone or with others, is told that it cannot be read. */
  public void makeUnreadable(String runId) {
    unreadable = runId;
  }

  /** The storage has no batch side. */
  public Faults withoutBatch() {
    withoutBatch = true;
    return this;
  }

  /** The storage tells of cancellations in this way. */
  Faults cancellations(CancellationSource source) {
    cancellations = source;
    return this;
  }

  /** The process that uses this storage is gone: no call has an effect or an answer any more. */
  public void kill() {
    killed = true;
  }

  public int calls(String method) {
    return calls.getOrDefault(method, 0);
  }

  public StorageAdapter storage() {
    return proxy(StorageAdapter.class, real);
  }

  /** Where the process finds step tasks and results, which is out of its reach too once it is gone. */
  public StepTransport steps(StepTransport transport) {
    return proxy(StepTransport.class, transport);
  }

  private <T> T proxy(Class<T> type, T target) {
    return type.cast(Proxy.newProxyInstance(
        Faults.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> call(target, method, arguments)));
  }

  private Object call(Object target, Method method, Object[] arguments) throws Throwable {
    if (method.getName().equals("batch")) {
      return withoutBatch
          ? Optional.empty()
          : real.batch().map(batch -> proxy(BatchStorage.class, batch));
    }
    if (method.getName().equals("steps")) {
      return real.steps().map(steps -> proxy(StepStorage.class, steps));
    }
    if (method.getName().equals("schedules")) {
      return real.schedules().map(schedules -> proxy(ScheduleStorage.class, schedules));
    }
    if (method.getName().equals("queueLimits")) {
      return real.queueLimits().map(limits -> proxy(QueueLimitStorage.class, limits));
    }
    if (method.getName().equals("cancellations") && cancellations != null) {
      return Optional.of(cancellations);
    }
    calls.merge(method.getName(), 1, Integer::sum);
    if (killed && Future.class.isAssignableFrom(method.getReturnType())) {
      return Promise.promise().future();
    }
    if (broken.contains(method.getName())) {
      return Future.failedFuture(outage());
    }
    if (refused.containsKey(method.getName())) {
      return Future.failedFuture(refused.get(method.getName()));
    }
    if (ScriptedStorage.reads(arguments, unreadable)) {
      return ScriptedStorage.unreadable(unreadable);
    }
    if (passedOver.getAsBoolean() && method.getName().equals("claimRuns")) {
      return Future.succeededFuture(new ClaimedRuns(List.of(), true));
    }
    if (passedOver.getAsBoolean() && method.getName().equals("claimRunLease")) {
      return Future.succeededFuture(Optional.empty());
    }
    UnaryOperator<Object> answered = forgotten.remove(method.getName());
    if (answered != null) {
      return Future.succeededFuture(answered.apply(arguments[0]));
    }
    List<Fault> faults = planned.getOrDefault(method.getName(), List.of());
    Fault fault = faults.isEmpty() ? null : faults.remove(0);
    if (fault != null) {
      fault.event().run();
    }
    if (fault != null && fault.effect() == Effect.NONE) {
      return Future.failedFuture(fault.failure());
    }
    if (fault != null && fault.effect() == Effect.DEAD_BEFORE) {
      return Promise.promise().future();
    }
    if (fault != null && fault.effect() == Effect.LATE) {
      Promise<Object> never = Promise.promise();
      fault.released().future().onSuccess(late -> {
        try {
          invoke(target, method, arguments);
        } catch (Throwable refused) {
          never.tryFail(refused);
        }
      });
      return never.future();
    }
    Object answer = invoke(target, method, arguments);
    if (fault != null && fault.effect() == Effect.DEAD_AFTER) {
      kill();
      return Promise.promise().future();
    }
    if (fault != null && fault.effect() == Effect.HELD) {
      return fault.released().future().compose(released -> (Future<?>) answer);
    }
    return fault != null && fault.effect() == Effect.BEFORE_FAILURE
        ? ((Future<?>) answer).transform(done -> Future.failedFuture(fault.failure()))
        : answer;
  }

  private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  private void plan(String method, Runnable event, Effect effect, RunlaneException failure) {
    planned
        .computeIfAbsent(method, name -> new ArrayList<>())
        .add(new Fault(event, effect, Promise.promise(), failure));
  }

  public static RunlaneException outage() {
    return RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "no storage just now");
  }

  private record Fault(
      Runnable event, Effect effect, Promise<Void> released, RunlaneException failure) {}

  private enum Effect {
    NONE,
    BEFORE_FAILURE,
    HELD,
    LATE,
    DEAD_BEFORE,
    DEAD_AFTER,
    ALONE
  }
}
