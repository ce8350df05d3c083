package dev.runlane.runtime.process;

import static dev.runlane.runtime.Fleet.done;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.conformance.given.Commands;
import dev.runlane.conformance.given.TestRuns;
import dev.runlane.conformance.kit.Given;
import dev.runlane.run.Environment;
import dev.runlane.run.Lease;
import dev.runlane.run.QueuePolicy;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.Fleet;
import dev.runlane.runtime.host.RunlaneOptions;
import dev.runlane.storage.BatchStorage;
import dev.runlane.storage.StorageAdapter;
import dev.runlane.storage.limit.PublishQueues;
import dev.runlane.storage.outbox.OutboxView;
import dev.runlane.storage.read.ListRunnableRuns;
import dev.runlane.storage.read.ListRunsNeedingDelivery;
import dev.runlane.storage.read.ListRunsNeedingDispatch;
import dev.runlane.storage.run.ClaimRuns;
import dev.runlane.storage.schedule.ScheduleStorage;
import dev.runlane.storage.step.StepStorage;
import io.vertx.core.Future;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

/**
 * Whatever command names a queue reaches the storage with the lowest limit that a living process gives it. Those of
 * operators name queues too, but have no policies: nothing is counted by them.
 */
@DisplayNameGeneration(ReplaceUnderscores.class)
class HeldQueuesTest {
  private static final Environment ENVIRONMENT = Given.ENVIRONMENT;
  private static final Instant NOW = Fleet.NOON;
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final QueuePolicy OURS = QueuePolicy.unbounded("mail");
  private static final QueuePolicy STRICTEST = QueuePolicy.bounded("mail", 1);
  private static final List<Class<?>> SIDES = List.of(
      StorageAdapter.class,
      BatchStorage.class,
      StepStorage.class,
      ScheduleStorage.class,
      OutboxView.class);

  private final Fleet fleet = new Fleet();
  private final List<Object> arrived = new ArrayList<>();

  @Test
  void each_command_that_names_a_queue_is_among_those_tried_here() {
    assertThat(SIDES.stream()
            .flatMap(side -> Arrays.stream(side.getMethods()))
            .filter(method -> Arrays.stream(method.getGenericParameterTypes())
                .anyMatch(HeldQueuesTest::namesQueues))
            .map(Method::getName))
        .containsExactlyInAnyOrderElementsOf(commands().keySet());
  }

  @Test
  void none_of_them_reaches_the_storage_with_more_than_the_lowest_limit() throws Exception {
    StorageAdapter guarded = new GuardedStorage(recording(StorageAdapter.class), limits());
    for (Map.Entry<String, Object> command : commands().entrySet()) {
      for (Class<?> side : List.of(StorageAdapter.class, BatchStorage.class)) {
        for (Method method : side.getMethods()) {
          if (method.getName().equals(command.getKey())) {
            method.invoke(
                side == BatchStorage.class ? guarded.batch().orElseThrow() : guarded,
                command.getValue());
          }
        }
      }
    }

    assertThat(arrived)
        .hasSize(commands().size() - 1); // there is no queue left to name as unbounded
    assertThat(arrived.stream().flatMap(HeldQueuesTest::queues))
        .isNotEmpty()
        .containsOnly(STRICTEST);
  }

  @Test
  void runs_that_are_named_are_not_claimed_as_if_their_queue_had_no_limit() {
    new GuardedStorage(recording(StorageAdapter.class), limits())
        .batch()
        .orElseThrow()
        .claimRuns(claim(List.of("run_1")));

    assertThat(arrived).hasSize(1);
    assertThat(((ClaimRuns) arrived.get(0)).queues()).isEmpty();
  }

  private static Map<String, Object> commands() {
    RunRecord run = TestRuns.queued("run_1").queue(OURS).creation().projectedRun();
    return Map.of(
        "appendRunEvents",
        TestRuns.queued("run_1").queue(OURS).creation().in(OURS),
        "appendAll",
        List.of(TestRuns.queued("run_2").queue(OURS).creation().in(OURS)),
        "listRunnableRuns",
        new ListRunnableRuns(ENVIRONMENT, List.of(OURS), List.of("task"), NOW, 10),
        "listRunsNeedingDispatch",
        new ListRunsNeedingDispatch(ENVIRONMENT, List.of(OURS), NOW, 10),
        "listRunsNeedingDelivery",
        new ListRunsNeedingDelivery(ENVIRONMENT, List.of(OURS.queue()), NOW, 10),
        "reserveRunDispatch",
        Commands.reserve(run, OURS, run.updatedAt().plus(MINUTE), run.updatedAt()),
        "claimRunLease",
        Commands.claim(
            run, OURS, new Lease("tok", "worker", run.updatedAt().plus(MINUTE)), run.updatedAt()),
        "claimRuns",
        claim(null));
  }

  private static ClaimRuns claim(List<String> runIds) {
    return new ClaimRuns(
        ENVIRONMENT, List.of(OURS), List.of("task"), "worker", "tok", MINUTE, NOW, 10, runIds);
  }

  private QueueLimits limits() {
    done(fleet
        .storage
        .queueLimits()
        .orElseThrow()
        .publishQueues(new PublishQueues(
            ENVIRONMENT, "other", List.of(STRICTEST), fleet.clock.now(), MINUTE)));
    QueueLimits limits = new QueueLimits(
        ENVIRONMENT,
        fleet.storage.queueLimits(),
        List.of(OURS),
        fleet.clock,
        fleet.timers,
        new LocalNotifications(),
        RunlaneOptions.DEFAULT_QUEUE_LIMIT_INTERVAL);
    done(limits.start("ours"));
    return limits;
  }

  /** A storage that answers nothing and keeps what it was asked. */
  private <T> T recording(Class<T> side) {
    return side.cast(Proxy.newProxyInstance(
        side.getClassLoader(), new Class<?>[] {side}, (self, method, arguments) -> {
          if (method.getName().equals("batch")) {
            return Optional.of(recording(BatchStorage.class));
          }
          arrived.add(arguments[0]);
          return Future.failedFuture("nothing is kept here");
        }));
  }

  private static boolean namesQueues(Type type) {
    if (type instanceof ParameterizedType list) {
      return namesQueues(list.getActualTypeArguments()[0]);
    }
    return type instanceof Class<?> command
        && command.isRecord()
        && Arrays.stream(command.getRecordComponents()).anyMatch(HeldQueuesTest::isOfQueues);
  }

  private static boolean isOfQueues(RecordComponent component) {
    return component.getGenericType().getTypeName().contains(QueuePolicy.class.getName())
        || Set.of("queue", "queues").contains(component.getName());
  }

  /** What a command says of queues; a name alone says that the queue has no limit. */
  private static Stream<QueuePolicy> queues(Object command) {
    if (command instanceof List<?> several) {
      return several.stream().flatMap(HeldQueuesTest::queues);
    }
    return Arrays.stream(command.getClass().getRecordComponents())
        .filter(HeldQueuesTest::isOfQueues)
        .flatMap(component -> {
          Object value = value(command, component);
          return value instanceof Collection<?> several ? several.stream() : Stream.of(value);
        })
        .map(value ->
            value instanceof QueuePolicy policy ? policy : QueuePolicy.unbounded((String) value));
  }

  private static Object value(Object command, RecordComponent component) {
    try {
      return component.getAccessor().invoke(command);
    } catch (ReflectiveOperationException failure) {
      throw new AssertionError(failure);
    }
  }
}
