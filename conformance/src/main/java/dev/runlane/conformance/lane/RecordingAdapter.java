package dev.runlane.conformance.lane;

import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Adapters that write down when they are started and closed, to see what a lane does with them. They
 * answer the same for ever and serve no commands.
 */
final class RecordingAdapter implements InvocationHandler {
  private final String name;
  private final List<String> log;
  private final Map<String, Object> answers;
  private final Set<String> nulls = new HashSet<>();
  private final Set<String> failing = new HashSet<>();

  private RecordingAdapter(String name, List<String> log, Map<String, Object> answers) {
    this.name = name;
    this.log = log;
    this.answers = answers;
  }

  static RecordingAdapter storage(List<String> log) {
    return new RecordingAdapter(
        "storage",
        log,
        Map.of(
            "capabilities",
            Set.of(StorageCapability.LEASES_RUNS),
            "batch",
            Optional.empty(),
            "outbox",
            Optional.empty(),
            "cancellations",
            Optional.empty()));
  }

  static RecordingAdapter transport(List<String> log) {
    return new RecordingAdapter(
        "transport",
        log,
        Map.of(
            "capabilities",
            Set.of(TransportCapability.ORDERED_DELIVERY),
            "queues",
            Optional.empty(),
            "deliveries",
            Optional.empty(),
            "wakeups",
            Optional.empty()));
  }

  static List<String> newLog() {
    return new ArrayList<>();
  }

  /** The same adapter, whose {@code start} or {@code close} fails with its own name and the call's. */
  RecordingAdapter failing(String method) {
    failing.add(method);
    return this;
  }

  /** The same adapter, whose method answers null as a malformed one does. */
  RecordingAdapter answeringNull(String method) {
    nulls.add(method);
    return this;
  }

  StorageAdapter asStorage() {
    return proxy(StorageAdapter.class);
  }

  TransportAdapter asTransport() {
    return proxy(TransportAdapter.class);
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) {
    String called = method.getName();
    if (called.equals("start") || called.equals("close")) {
      log.add(name + "." + called);
      return failing.contains(called)
          ? Future.failedFuture(new IllegalStateException(name + "." + called))
          : Future.succeededFuture();
    }
    if (method.getDeclaringClass() == Object.class) {
      return ofObject(proxy, called, arguments);
    }
    if (nulls.contains(called)) {
      return null;
    }
    Object answer = answers.get(called);
    return answer != null
        ? answer
        : Future.failedFuture(new IllegalStateException(name + " serves no commands"));
  }

  private @Nullable Object ofObject(Object proxy, String called, Object @Nullable [] arguments) {
    return switch (called) {
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> name;
    };
  }

  private <T> T proxy(Class<T> contract) {
    return contract.cast(
        Proxy.newProxyInstance(contract.getClassLoader(), new Class<?>[] {contract}, this));
  }
}
