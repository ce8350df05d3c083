package dev.runlane.testing;

import dev.runlane.run.EventHeader;
import dev.runlane.run.Json;
import dev.runlane.run.RunEvent;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunRecord;
import dev.runlane.run.RunSource;
import dev.runlane.runtime.task.BlockingTaskContext;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskDescription;
import dev.runlane.runtime.task.TriggerOutcome;
import dev.runlane.runtime.task.TriggerResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.reflect.Method;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that answers steps from a history and does nothing new: work that is not recorded is not begun, and runs
 * of other tasks are made up.
 */
final class ReplayedAttempt implements WrappedTask.Way {
  private static final Set<String> STEPS =
      Set.of("step", "callStep", "remote", "callRemote", "sleep");

  private final TaskContext context;
  private final int recorded;
  private final Instant now;
  private int asked;
  private boolean atEnd;

  /** @param recorded how many positions the history has */
  ReplayedAttempt(TaskContext context, int recorded, Instant now) {
    this.context = context;
    this.recorded = recorded;
    this.now = now;
  }

  /** Whether the handler wanted to begin something that the history does not have. */
  boolean isAtEnd() {
    return atEnd;
  }

  /** How many steps and sleeps it asked for. */
  int asked() {
    return asked;
  }

  @Override
  public @Nullable Object call(Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    if (method.getName().equals("trigger") && arguments != null) {
      return Future.succeededFuture(madeUp((TaskDescription<?>) arguments[0]));
    }
    if (!STEPS.contains(method.getName()) || arguments == null) {
      return WrappedTask.invoke(context, method, arguments);
    }
    asked++;
    return asked > recorded
        ? end(method)
        : WrappedTask.invoke(context, method, withoutWork(arguments));
  }

  /** A blocking handler is unwound, any other waits. */
  private @Nullable Object end(Method method) {
    atEnd = true;
    boolean isBlocking = method.getReturnType() != Future.class;
    return isBlocking
        ? ((BlockingTaskContext) context).await(Promise.promise().future())
        : Promise.promise().future();
  }

  /** A step whose result was forgotten would be done anew. */
  private @Nullable Object[] withoutWork(@Nullable Object[] arguments) {
    @Nullable Object[] replaced = arguments.clone();
    Object work = arguments[arguments.length - 1];
    if (work instanceof Supplier<?>) {
      replaced[arguments.length - 1] = (Supplier<Object>) () -> {
        atEnd = true;
        return Promise.promise().future();
      };
    } else if (work instanceof Callable<?>) {
      replaced[arguments.length - 1] = (Callable<Object>) () -> {
        atEnd = true;
        return ((BlockingTaskContext) context).await(Promise.promise().future());
      };
    }
    return replaced;
  }

  private TriggerResult madeUp(TaskDescription<?> task) {
    RunRecord run = RunRecord.builder(new RunEvent.Created(
            EventHeader.bySystem(context.environment(), "run_made_up_by_replay", now),
            task.id(),
            context.queue(),
            Json.ofChecked("null"),
            null,
            RunKeys.NONE,
            RunSource.TRIGGER))
        .build();
    return new TriggerResult(run, TriggerOutcome.CREATED, true);
  }
}
