package dev.runlane.steps.sql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import dev.runlane.run.RunlaneException;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.delivery.StepDeliveryOptions;
import dev.runlane.steps.delivery.StepResultDelivery;
import dev.runlane.steps.delivery.StepResultReceiver;
import dev.runlane.steps.delivery.StepVerdict;
import dev.runlane.steps.result.ClaimedStepResult;
import dev.runlane.steps.result.StepOutcome;
import dev.runlane.steps.result.StepResult;
import dev.runlane.steps.sql.worker.SqlStepWorker;
import dev.runlane.steps.sql.worker.SqlStepWorkerOptions;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.StepTask;
import dev.runlane.timing.Clock;
import dev.runlane.timing.Timers;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Workers and a small engine on a prefix of their own. */
public final class StepScene implements AutoCloseable {
  static final String NAME = "echo";
  private static final int MOST_LOOKS = 6_000;

  public final Vertx vertx;
  public final SqlStepFixture tables;
  public final StepTransport transport;
  final Map<String, StepOutcome> outcomes = new ConcurrentHashMap<>();
  private final List<SqlStepWorker> workers = new ArrayList<>();
  private final Context engineContext;
  private @Nullable StepResultDelivery delivery;

  StepScene(Function<Vertx, SqlStepFixture> fixture) {
    vertx = Vertx.vertx();
    tables = fixture.apply(vertx);
    transport = done(tables.open());
    engineContext = vertx.getOrCreateContext();
  }

  public static SqlStepWorkerOptions quick() {
    return new SqlStepWorkerOptions()
        .setLongestPause(Duration.ofMillis(100))
        .setLongestPauseWithSignals(Duration.ofMillis(200));
  }

  public static <T extends @Nullable Object> T done(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (Exception failed) {
      throw new AssertionError("expected success", failed);
    }
  }

  /** Looks again and again, every 10 ms for at most a minute; the condition may wait for futures. */
  public void until(String what, BooleanSupplier condition) {
    until(vertx, what, condition);
  }

  static void until(Vertx vertx, String what, BooleanSupplier condition) {
    for (int look = 0; look < MOST_LOOKS; look++) {
      if (condition.getAsBoolean()) {
        return;
      }
      done(vertx.timer(10, TimeUnit.MILLISECONDS));
    }
    throw new AssertionError("did not come true: " + what);
  }

  /** The same a few times a second, for what takes seconds. */
  void untilSeldom(String what, BooleanSupplier condition) {
    until(what, () -> {
      done(vertx.timer(250, TimeUnit.MILLISECONDS));
      return condition.getAsBoolean();
    });
  }

  /**
   * What the first call gives that does not fail as one that may be repeated: a server that has just begun to listen
   * refuses for a moment (57P03), and a busy machine misses a short deadline.
   */
  public <T> T inTheEnd(Supplier<Future<T>> call) {
    return inTheEnd(vertx, call);
  }

  static <T> T inTheEnd(Vertx vertx, Supplier<Future<T>> call) {
    AtomicReference<Future<T>> last = new AtomicReference<>();
    until(vertx, "taken by a server that is up", () -> {
      last.set(call.get());
      return !isRetryable(done(last.get().<Throwable>mapEmpty().otherwise(lost -> lost)));
    });
    return done(last.get());
  }

  private static boolean isRetryable(@Nullable Throwable failure) {
    return failure instanceof RunlaneException lost && lost.isRetryable();
  }

  SqlStepWorker worker(SqlStepWorkerOptions options) {
    return worker(transport, options);
  }

  public SqlStepWorker worker(StepTransport on, SqlStepWorkerOptions options) {
    SqlStepWorker worker = SqlStepWorker.create(vertx, on, options);
    workers.add(worker);
    return worker;
  }

  public void dispatch(List<StepTask> steps) {
    done(transport.dispatchSteps(new DispatchSteps(steps, Clock.system().now())));
  }

  public void dispatch(StepTask... steps) {
    dispatch(List.of(steps));
  }

  public static StepTask step(String runId, @Nullable String input) {
    return StepTask.first(runId, 0, NAME, input == null ? null : Json.ofChecked(input));
  }

  /** An engine that takes every result and keeps the outcomes. */
  void engine() {
    done(onContext(() -> {
      StepResultDelivery started = new StepResultDelivery(
          transport,
          new StepResultReceiver() {
            @Override
            public Future<Set<String>> knownRuns(Set<String> runIds) {
              return Future.succeededFuture(runIds);
            }

            @Override
            public Future<StepVerdict> receive(ClaimedStepResult claimed) {
              StepResult result = claimed.result();
              StepOutcome before = outcomes.put(result.runId(), result.outcome());
              assertThat(before).as("a second result of " + result.stepId()).isNull();
              return Future.succeededFuture(StepVerdict.settle());
            }
          },
          "engine",
          new StepDeliveryOptions().setLongestPause(Duration.ofMillis(100)),
          Clock.system(),
          Timers.of(vertx));
      delivery = started;
      started.start();
      return Future.succeededFuture();
    }));
  }

  private Future<Void> onContext(Supplier<Future<Void>> call) {
    Promise<Void> promise = Promise.promise();
    engineContext.runOnContext(turn -> call.get().onComplete(promise));
    return promise.future();
  }

  public RowSet<Row> sql(String statement, Object... parameters) {
    return done(tables.sql(statement, Tuple.from(parameters)));
  }

  public long count(String table) {
    return sql("SELECT count(*) FROM " + table).iterator().next().getLong(0);
  }

  /** Tasks of which a condition holds. */
  public long tasksWhere(String condition) {
    return count(tables.tasks() + " WHERE " + condition);
  }

  @Override
  public void close() {
    workers.forEach(worker -> done(worker.stop()));
    StepResultDelivery started = delivery;
    if (started != null) {
      done(onContext(started::stop));
    }
    done(tables.close());
    done(vertx.close());
  }
}
