package dev.runlane.connector.controller;

import dev.runlane.connector.controller.registry.SecretSource;
import dev.runlane.connector.store.key.ConnectorRef;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.BlockingCalls;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Asks the source of secrets, which may never answer: on threads that nobody else uses, and of one connection once at a
 * time, so that one that hangs takes one thread however often its connection is launched.
 */
final class LaunchSecrets {
  private final SecretSource source;
  private final BlockingCalls calls;
  private final Set<ConnectorRef> asked = ConcurrentHashMap.newKeySet(); // and not answered yet

  LaunchSecrets(SecretSource source, BlockingCalls calls) {
    this.source = source;
    this.calls = calls;
  }

  /**
   * The values of {@code names}. The source is not asked for none. Fails with {@code OperationCancelled} while it has
   * not answered an earlier launch of the connection.
   *
   * @param check is run before, where it may block
   */
  Future<Map<String, String>> of(ConnectorRef connector, List<String> names, Runnable check) {
    if (names.isEmpty()) {
      return Future.succeededFuture(Map.of());
    }
    if (!asked.add(connector)) {
      return Future.failedFuture(RunlaneException.of(
          ErrorCode.OPERATION_CANCELLED,
          "the secrets of %s are not asked for again: the source has not answered its earlier launch",
          connector.instanceId()));
    }
    return calls.run(() -> {
      try {
        check.run();
        return source.secrets(connector, names);
      } finally {
        asked.remove(connector);
      }
    });
  }

  /** Whether two connections would be given the same. */
  boolean isShared(ConnectorRef connector, ConnectorRef other) {
    return source.isShared(connector, other);
  }

  /** Asks no more. */
  Future<Void> close() {
    return calls.close();
  }
}
