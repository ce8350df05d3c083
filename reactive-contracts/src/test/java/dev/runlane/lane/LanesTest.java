package dev.runlane.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.StorageCapability;
import dev.runlane.transport.TransportAdapter;
import dev.runlane.transport.TransportCapability;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a lane is made of, in which order it is opened and closed, and what is left open when not. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class LanesTest {
  private static final IllegalStateException DOWN = new IllegalStateException("down");
  private static final IllegalStateException STUCK = new IllegalStateException("stuck");

  private final List<String> calls = new ArrayList<>();

  @Test
  void a_lane_keeps_the_very_adapters_and_their_promises() {
    StorageAdapter storage = storage(Map.of());
    TransportAdapter transport = transport(Map.of());

    Lane lane = Lanes.create(storage, transport);

    assertThat(lane.storage()).isSameAs(storage);
    assertThat(lane.transport()).isSameAs(transport);
    assertThat(lane.name()).isEqualTo("lane");
    assertThat(lane.capabilities())
        .isEqualTo(new LaneCapabilities(
            true,
            false,
            Set.of(StorageCapability.LEASES_RUNS),
            Set.of(TransportCapability.NATIVE_DELAY)));
  }

  @Test
  void later_changes_of_the_options_do_not_reach_the_lane() {
    LaneOptions options = new LaneOptions().setName("orders").setProductionDurable(true);
    Lane lane = Lanes.create(storage(Map.of()), transport(Map.of()), options);

    options.setName("other").setProductionDurable(false).setOperatorReads(false);

    assertThat(lane.name()).isEqualTo("orders");
    assertThat(lane.capabilities().productionDurable()).isTrue();
    assertThat(lane.capabilities().operatorReads()).isTrue();
  }

  @Test
  void the_storage_starts_first_and_closes_last() {
    Lane lane = Lanes.create(storage(Map.of()), transport(Map.of()));

    assertThat(lane.start().succeeded()).isTrue();
    assertThat(lane.close().succeeded()).isTrue();

    assertThat(calls)
        .containsExactly("storage.start", "transport.start", "transport.close", "storage.close");
  }

  @Test
  void a_storage_that_does_not_start_leaves_the_transport_alone() {
    Lane lane = Lanes.create(storage(failing("start", DOWN)), transport(Map.of()));

    assertThat(lane.start().cause()).isSameAs(DOWN);

    assertThat(calls).containsExactly("storage.start");
  }

  @Test
  void a_transport_that_does_not_start_closes_the_storage() {
    Lane lane = Lanes.create(storage(Map.of()), transport(failing("start", DOWN)));

    assertThat(lane.start().cause()).isSameAs(DOWN);

    assertThat(calls).containsExactly("storage.start", "transport.start", "storage.close");
  }

  @Test
  void a_lane_that_is_closed_while_its_storage_starts_leaves_the_transport_alone() {
    Promise<Void> started = Promise.promise();
    Lane lane = Lanes.create(storage(answering("start", started.future())), transport(Map.of()));
    Future<Void> start = lane.start();

    assertThat(lane.close().succeeded()).isTrue();
    started.complete();

    assertThat(((RunlaneException) start.cause()).code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(calls)
        .containsExactly("storage.start", "transport.close", "storage.close", "storage.close");
  }

  @Test
  void a_lane_that_is_closed_while_its_transport_starts_closes_that_too() {
    Promise<Void> started = Promise.promise();
    Lane lane = Lanes.create(storage(Map.of()), transport(answering("start", started.future())));
    Future<Void> start = lane.start();
    assertThat(lane.close().succeeded()).isTrue();
    calls.clear();

    started.complete();

    assertThat(((RunlaneException) start.cause()).code()).isEqualTo(ErrorCode.OPERATION_CANCELLED);
    assertThat(calls).containsExactly("transport.close", "storage.close");
  }

  @Test
  void a_storage_that_then_does_not_close_is_suppressed() {
    RuntimeException down = new IllegalStateException("down");
    Lane lane = Lanes.create(storage(failing("close", STUCK)), transport(failing("start", down)));

    assertThat(lane.start().cause()).isSameAs(down).hasSuppressedException(STUCK);
  }

  @Test
  void the_storage_is_closed_even_if_the_transport_is_not() {
    Lane lane = Lanes.create(storage(Map.of()), transport(failing("close", DOWN)));

    assertThat(lane.close().cause()).isSameAs(DOWN);

    assertThat(calls).containsExactly("transport.close", "storage.close");
  }

  @Test
  void the_first_failure_to_close_wins() {
    RuntimeException down = new IllegalStateException("down");
    Lane both = Lanes.create(storage(failing("close", STUCK)), transport(failing("close", down)));
    Lane second = Lanes.create(storage(failing("close", STUCK)), transport(Map.of()));

    assertThat(both.close().cause()).isSameAs(down).hasSuppressedException(STUCK);
    assertThat(second.close().cause()).isSameAs(STUCK);
  }

  @ParameterizedTest
  @ValueSource(strings = {"start", "close"})
  void an_adapter_that_throws_or_answers_null_fails_the_future(String method) {
    Lane throwing = Lanes.create(storage(throwing(method)), transport(Map.of()));
    Lane silent = Lanes.create(storage(answering(method, null)), transport(Map.of()));

    for (Lane lane : List.of(throwing, silent)) {
      Future<Void> done = method.equals("start") ? lane.start() : lane.close();
      assertThat(((RunlaneException) done.cause()).code())
          .isEqualTo(ErrorCode.ADAPTER_CONTRACT_VIOLATION);
    }
  }

  @Test
  void a_missing_adapter_is_refused() {
    refused(() -> Lanes.create(null, transport(Map.of())));
    refused(() -> Lanes.create(storage(Map.of()), null));
    refused(() -> Lanes.create(null, null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"capabilities", "batch", "outbox", "cancellations"})
  void a_storage_that_cannot_say_what_it_can_do_is_refused(String method) {
    refused(() -> Lanes.create(storage(answering(method, null)), transport(Map.of())));
    refused(() -> Lanes.create(storage(throwing(method)), transport(Map.of())));
  }

  @ParameterizedTest
  @ValueSource(strings = {"capabilities", "queues", "wakeups"})
  void a_transport_that_cannot_say_what_it_can_do_is_refused(String method) {
    refused(() -> Lanes.create(storage(Map.of()), transport(answering(method, null))));
    refused(() -> Lanes.create(storage(Map.of()), transport(throwing(method))));
  }

  @Test
  void a_null_among_the_capabilities_is_refused() {
    Set<StorageCapability> holey = new HashSet<>();
    holey.add(null);

    refused(() -> Lanes.create(storage(answering("capabilities", holey)), transport(Map.of())));
  }

  private static void refused(Runnable call) {
    RunlaneException failure = catchThrowableOfType(RunlaneException.class, call::run);

    assertThat(failure).isNotNull();
    assertThat(failure.code()).isEqualTo(ErrorCode.CONFIGURATION_INVALID);
  }

  private static Map<String, Supplier<Object>> failing(String method, RuntimeException failure) {
    return Map.of(method, () -> Future.failedFuture(failure));
  }

  private static Map<String, Supplier<Object>> throwing(String method) {
    return Map.of(method, () -> {
      throw new IllegalStateException("thrown by " + method);
    });
  }

  private static Map<String, Supplier<Object>> answering(String method, Object answer) {
    return Map.of(method, () -> answer);
  }

  private StorageAdapter storage(Map<String, Supplier<Object>> odd) {
    return adapter(StorageAdapter.class, "storage", Set.of(StorageCapability.LEASES_RUNS), odd);
  }

  private TransportAdapter transport(Map<String, Supplier<Object>> odd) {
    return adapter(
        TransportAdapter.class, "transport", Set.of(TransportCapability.NATIVE_DELAY), odd);
  }

  /** An adapter that notes its calls and is odd in the given methods. */
  private <T> T adapter(
      Class<T> type, String name, Set<?> capabilities, Map<String, Supplier<Object>> odd) {
    InvocationHandler handler = (proxy, method, arguments) -> {
      if (method.getReturnType() == Future.class) {
        calls.add(name + "." + method.getName());
      }
      Supplier<Object> answer = odd.get(method.getName());
      if (answer != null) {
        return answer.get();
      }
      return switch (method.getName()) {
        case "capabilities" -> capabilities;
        case "start", "close" -> Future.succeededFuture();
        default -> Optional.empty();
      };
    };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
