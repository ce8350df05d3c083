package dev.runlane.runtime;

import dev.runlane.operator.OperatorStore;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.QueueLimitStorage;
import dev.runlane.storage.read.GetRun;
import dev.runlane.storage.read.GetRuns;
import dev.runlane.storage.schedule.ScheduleStorage;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One process's way to a real storage. Calls can be made to fail, to lose their reply or to wait, and the
 * process can be killed before or after any of them: from then on nothing it asks is ever answered.
 */
public final class ScriptedStorage {
  private static final Set<String> UNTOUCHED = Set.of("start", "close");

  private final StorageAdapter storage;
  private final Map<String, Deque<UnaryOperator<Supplier<Future<?>>>>> script = new HashMap<>();
  private final List<String> calls = new ArrayList<>();
  private volatile @Nullable String unreadable;
  private boolean batching = true;
  private volatile boolean dead;
  private int killBefore = Integer.MAX_VALUE;
  private int killAfter = Integer.MAX_VALUE;

  public ScriptedStorage(StorageAdapter storage) {
    this.storage = storage;
  }

  public StorageAdapter adapter() {
    return proxy(StorageAdapter.class, (self, method, args) -> switch (method.getName()) {
      case "batch" -> batching ? storage.batch().map(this::batch) : Optional.empty();
      case "schedules" -> storage.schedules().map(this::schedules);
      case "queueLimits" ->
        storage.queueLimits().map(real -> uncounted(QueueLimitStorage.class, real));
      case "operator" -> storage.operator().map(real -> uncounted(OperatorStore.class, real));
      default -> call(storage, method, args);
    });
  }

  /** Hides the storage's batch side. */
  ScriptedStorage withoutBatch() {
    batching = false;
    return this;
  }

  /** The methods called so far, in order. */
  public synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  public long calls(String method) {
    return calls().stream().filter(method::equals).count();
  }

  /** Answers the next call of the method in another way; the supplier makes the real call. */
  public synchronized void next(String method, UnaryOperator<Supplier<Future<?>>> step) {
    script.computeIfAbsent(method, name -> new ArrayDeque<>()).add(step);
  }

  /** The next call fails and changes nothing. */
  public void failNext(String method, RunlaneException failure) {
    next(method, real -> () -> Future.failedFuture(failure));
  }

  /** The next call takes effect, but its caller learns of an outage. */
  public void loseReplyOfNext(String method) {
    next(method, real -> () -> {
      real.get();
      return Future.failedFuture(outage());
    });
  }

  /** Something happens between the caller's decision and the next call. */
  public void beforeNext(String method, Runnable meanwhile) {
    next(method, real -> () -> {
      meanwhile.run();
      return real.get();
    });
  }

  /** The next call is made when the gate opens. */
  public void holdNext(String method, Future<?> gate) {
    next(method, real -> () -> gate.compose(open -> real.get()));
  }

  /** Whoever reads this run, alone or with others, is told that it cannot be read. */
  public void makeUnreadable(String runId) {
    unreadable = runId;
  }

  /** Whether the call reads the run that cannot be read, or null for none. */
  static boolean reads(Object[] arguments, @Nullable String unreadable) {
    Object query = arguments == null || arguments.length == 0 ? null : arguments[0];
    return unreadable != null
        && ((query instanceof GetRuns many && many.runIds().contains(unreadable))
            || (query instanceof GetRun one && one.runId().equals(unreadable)));
  }

  /** How that is told. */
  static <T> Future<T> unreadable(@Nullable String runId) {
    return Future.failedFuture(RunlaneException.invariantViolation("run %s cannot be read", runId));
  }

  /** The n-th call from the beginning is never made. */
  public void killBefore(int call) {
    killBefore = call;
  }

  /** The n-th call from the beginning takes effect, but is never answered. */
  public void killAfter(int call) {
    killAfter = call;
  }

  public boolean isDead() {
    return dead;
  }

  public void kill() {
    dead = true;
  }

  public static RunlaneException outage() {
    return RunlaneException.unavailable(
        ErrorCode.STORAGE_UNAVAILABLE, null, "the storage of this test is down");
  }

  private BatchStorage batch(BatchStorage batch) {
    return proxy(BatchStorage.class, (self, method, args) -> call(batch, method, args));
  }

  private ScheduleStorage schedules(ScheduleStorage schedules) {
    return proxy(ScheduleStorage.class, (self, method, args) -> call(schedules, method, args));
  }

  /** Calls to it are in the script, but not counted: they come in their own time. */
  private <T> T uncounted(Class<T> type, T target) {
    return proxy(type, (self, method, args) -> {
      UnaryOperator<Supplier<Future<?>>> step;
      synchronized (this) {
        step = script.getOrDefault(method.getName(), new ArrayDeque<>()).poll();
      }
      if (dead) {
        return Promise.promise().future();
      }
      Supplier<Future<?>> real = () -> (Future<?>) invoke(target, method, args);
      return step == null ? real.get() : step.apply(real).get();
    });
  }

  private Object call(Object target, Method method, Object[] args) {
    if (method.getReturnType() != Future.class || UNTOUCHED.contains(method.getName())) {
      return invoke(target, method, args);
    }
    Supplier<Future<?>> real = () ->
        reads(args, unreadable) ? unreadable(unreadable) : (Future<?>) invoke(target, method, args);
    UnaryOperator<Supplier<Future<?>>> step;
    boolean last;
    synchronized (this) { // several event loops may call
      if (dead || calls.size() + 1 == killBefore) {
        dead = true;
        return Promise.promise().future();
      }
      calls.add(method.getName());
      last = calls.size() == killAfter;
      step = script.getOrDefault(method.getName(), new ArrayDeque<>()).poll();
    }
    Future<?> answer = step == null ? real.get() : step.apply(real).get();
    if (last) {
      dead = true;
    }
    return dead ? Promise.promise().future() : answer;
  }

  private static Object invoke(Object target, Method method, Object[] args) {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException | IllegalAccessException thrown) {
      throw new IllegalStateException(method.getName() + " must not throw", thrown);
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
