package dev.runlane.drills.crash;

import dev.runlane.steps.StepTransport;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.step.StepStorage;
import dev.runlane.transport.TransportAdapter;
import io.vertx.core.Future;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Where a process halts: right before the {@code nth} call of an adapter's method is made, or right after
 * it is answered and before anybody hears the answer.
 */
public final class CrashPoint {
  /** The exit code of a process that was halted here. */
  public static final int EXIT_CODE = 77;

  private static final boolean FULL = Boolean.getBoolean("drills.full");
  private static final long SEED = Long.getLong("drills.seed", System.nanoTime());
  private static final int TOGETHER = 4;

  /** So many points are tried in the short form. */
  private static final int FEW = 2;

  private final String method;
  private final int nth;
  private final When when;
  private final AtomicInteger calls = new AtomicInteger();

  CrashPoint(String method, int nth, When when) {
    this.method = method;
    this.nth = nth;
    this.when = when;
  }

  /** On which side of the call. */
  public enum When {
    /** The call is not made. */
    BEFORE,
    /** The call is made and answered, and nobody learns it. */
    AFTER
  }

  /** Reads what {@link #toString()} writes. */
  public static CrashPoint of(String text) {
    String[] parts = text.split("-");
    return new CrashPoint(parts[0], Integer.parseInt(parts[1]), When.valueOf(parts[2]));
  }

  /**
   * Halts a process right before and right after each of these calls, some at once; in the short form at a few of
   * these points, which the seed draws. Says how many points that were.
   */
  public static int haltAround(List<String> calls, Consumer<CrashPoint> halting) {
    System.out.println("crash points: -Ddrills.seed=" + SEED);
    ExecutorService several = Executors.newFixedThreadPool(TOGETHER);
    try {
      List<CompletableFuture<Void>> all = points(calls).stream()
          .map(point -> CompletableFuture.runAsync(() -> halting.accept(point), several))
          .toList();
      all.forEach(CrashPoint::awaitHalt);
      return all.size();
    } finally {
      several.shutdownNow();
    }
  }

  private static List<CrashPoint> points(List<String> calls) {
    List<CrashPoint> points = new ArrayList<>();
    for (String call : calls) {
      Stream.of(When.values()).forEach(when -> points.add(of(call + "-" + when)));
    }
    Collections.shuffle(points, new Random(SEED));
    return FULL ? points : points.subList(0, FEW);
  }

  private static void awaitHalt(CompletableFuture<Void> point) {
    try {
      point.join();
    } catch (CompletionException failed) {
      throw new AssertionError(failed.getCause().getMessage(), failed.getCause());
    }
  }

  /** The storage, with this point in it. */
  public StorageAdapter in(StorageAdapter storage) {
    return in(StorageAdapter.class, storage);
  }

  /** The transport, with this point in it. */
  public TransportAdapter in(TransportAdapter transport) {
    return in(TransportAdapter.class, transport);
  }

  /** The step transport, with this point in it. */
  public StepTransport in(StepTransport transport) {
    return in(StepTransport.class, transport);
  }

  private <T> T in(Class<T> type, T adapter) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> {
          Object answer = call(adapter, called, arguments);
          return answer instanceof Optional<?> part ? part.map(this::inPart) : answer;
        }));
  }

  /** A part of a storage, with this point in it if its calls store something. */
  private Object inPart(Object part) {
    if (part instanceof BatchStorage batch) {
      return in(BatchStorage.class, batch);
    }
    return part instanceof StepStorage steps ? in(StepStorage.class, steps) : part;
  }

  private Object call(Object adapter, Method called, Object[] arguments) throws Throwable {
    boolean here = called.getName().equals(method) && calls.incrementAndGet() == nth;
    if (here && when == When.BEFORE) {
      Runtime.getRuntime().halt(EXIT_CODE);
    }
    try {
      Object answer = called.invoke(adapter, arguments);
      return here
          ? ((Future<?>) answer).andThen(done -> Runtime.getRuntime().halt(EXIT_CODE))
          : answer;
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  @Override
  public String toString() {
    return method + "-" + nth + "-" + when;
  }
}
