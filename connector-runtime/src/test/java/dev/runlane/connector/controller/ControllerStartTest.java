package dev.runlane.connector.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.connector.controller.registry.ConnectorRegistries;
import dev.runlane.connector.controller.registry.ConnectorRegistry;
import dev.runlane.connector.controller.registry.SecretSource;
import dev.runlane.connector.process.ChildProcessOptions;
import dev.runlane.connector.process.ChildProcesses;
import dev.runlane.connector.run.ConnectorRunner;
import dev.runlane.connector.run.request.ConnectorRunOptions;
import dev.runlane.connector.store.ConnectorStore;
import dev.runlane.connector.store.memory.MemoryConnectorStore;
import dev.runlane.connector.store.run.ActiveRun;
import dev.runlane.connector.store.run.ActiveRuns;
import dev.runlane.lane.Lanes;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.Runlane;
import dev.runlane.storage.pg.PgStorageAdapter;
import dev.runlane.storage.pg.PgStorageOptions;
import dev.runlane.timing.BlockingCalls;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Ids;
import dev.runlane.timing.ManualClock;
import dev.runlane.timing.ManualTimers;
import dev.runlane.timing.Randomness;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("the start of a controller")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ControllerStartTest {
  private final Vertx vertx = Vertx.vertx();
  private final ManualTimers timers = new ManualTimers(ManualClock.at(Instant.EPOCH));
  private final CompletableFuture<Boolean> asked = new CompletableFuture<>();
  private final Promise<List<ActiveRun>> active = Promise.promise();

  @AfterEach
  void close() throws Exception {
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  @Test
  void fails_and_leaves_nothing_running_where_it_is_closed_meanwhile() throws Exception {
    ConnectorController controller = controller();
    PgStorageAdapter storage = PgStorageAdapter.create(vertx, new PgStorageOptions());
    Runlane runtime = Runlane.builder(vertx, Lanes.create(storage, storage.notifyTransport()))
        .queue(controller.queue())
        .task(controller.task())
        .build();

    Future<Void> started = controller.start(runtime);
    asked.get(60, TimeUnit.SECONDS);
    controller.close().await(60, TimeUnit.SECONDS);
    active.complete(List.of());

    assertThatThrownBy(() -> started.await(60, TimeUnit.SECONDS))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.OPERATION_CANCELLED));
    assertThat(timers.pending()).isZero();
  }

  private ConnectorController controller() {
    MemoryConnectorStore memory = new MemoryConnectorStore();
    ConnectorStore store = beginning(
        ConnectorStore.class,
        memory,
        "activeRuns",
        () -> beginning(ActiveRuns.class, memory.activeRuns(), "list", () -> {
          asked.complete(true);
          return active.future();
        }));
    Timers real = Timers.of(vertx);
    ChildProcesses processes = new ChildProcesses(vertx, real, new ChildProcessOptions());
    ConnectorRunner runner = new ConnectorRunner(
        vertx,
        processes,
        store.sink(),
        store.timeline(),
        store.runEnds(),
        Clock.system(),
        real,
        Randomness.system(),
        new ConnectorRunOptions());
    return new ConnectorController(
        vertx,
        new ConnectorControllerParts(
            store,
            (begin, runlane, creation) -> Future.failedFuture("no run is accepted here"),
            new ConnectorRegistries(ConnectorRegistry.empty(), ConnectorRegistry.empty()),
            SecretSource.environment(Map.of()),
            processes,
            runner,
            BlockingCalls.of(vertx, 1),
            Clock.system(),
            timers,
            new Ids(Clock.system(), Randomness.system())),
        new ConnectorControllerOptions());
  }

  /** Answers one method in another way. */
  private static <T> T beginning(Class<T> type, T real, String name, Supplier<Object> answer) {
    return type.cast(Proxy.newProxyInstance(
        type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
          if (method.getName().equals(name)) {
            return answer.get();
          }
          try {
            return method.invoke(real, arguments);
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        }));
  }
}
