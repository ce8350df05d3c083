package dev.runlane.conformance.example;

import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.CommandOutcome;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.read.Page;
import dev.runlane.storage.run.AppendRunEvents;
import dev.runlane.storage.run.AppendedRun;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A storage that accepts everything and keeps nothing: each method answers what an empty storage would,
 * and an append or heartbeat answers its caller's own projection.
 */
final class MyStorage implements InvocationHandler {
  private static final Set<StorageCapability> CAPABILITIES =
      EnumSet.complementOf(EnumSet.of(StorageCapability.DURABLE_STATE));

  private MyStorage() {}

  static StorageAdapter connect() {
    return (StorageAdapter) Proxy.newProxyInstance(
        StorageAdapter.class.getClassLoader(),
        new Class<?>[] {StorageAdapter.class},
        new MyStorage());
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) {
    return switch (method.getName()) {
      case "capabilities" -> CAPABILITIES;
      case "batch" -> Optional.of(new EmptyBatch());
      case "outbox" -> Optional.of((OutboxView) query -> Future.succeededFuture(List.of()));
      case "cancellations", "steps" -> Optional.empty();
      case "appendRunEvents" -> Future.succeededFuture(accepted((AppendRunEvents) arguments[0]));
      default -> Future.succeededFuture(empty(method.getGenericReturnType()));
    };
  }

  private static AppendedRun accepted(AppendRunEvents command) {
    return new AppendedRun(command.projectedRun(), List.of(), List.of());
  }

  private static Object empty(Type future) {
    Type result = ((ParameterizedType) future).getActualTypeArguments()[0];
    Type raw = result instanceof ParameterizedType generic ? generic.getRawType() : result;
    if (raw == Optional.class) {
      return Optional.empty();
    }
    if (raw == List.class) {
      return List.of();
    }
    if (raw == Page.class) {
      return new Page<>(List.of(), null);
    }
    return raw == PrunedRuns.class ? new PrunedRuns(0, null) : null;
  }

  private static final class EmptyBatch implements BatchStorage {
    @Override
    public Future<List<CommandOutcome<AppendedRun>>> appendAll(List<AppendRunEvents> commands) {
      return Future.succeededFuture(commands.stream()
          .<CommandOutcome<AppendedRun>>map(
              command -> new CommandOutcome.Succeeded<>(accepted(command)))
          .toList());
    }

    @Override
    public Future<ClaimedRuns> claimRuns(ClaimRuns command) {
      return Future.succeededFuture(new ClaimedRuns(List.of(), false));
    }
  }
}
