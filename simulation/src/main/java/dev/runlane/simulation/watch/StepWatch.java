package dev.runlane.simulation.watch;

import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.steps.StepTransport;
import dev.runlane.steps.result.ListStepResults;
import dev.runlane.steps.result.RecordOutcome;
import dev.runlane.steps.result.RecordStepResults;
import dev.runlane.steps.result.SettleOutcome;
import dev.runlane.steps.result.SettleStepResults;
import dev.runlane.steps.result.StepResultRef;
import dev.runlane.steps.task.ClaimedStepTask;
import dev.runlane.steps.task.DispatchOutcome;
import dev.runlane.steps.task.DispatchSteps;
import dev.runlane.steps.task.ListStepTasks;
import dev.runlane.steps.task.StepTask;
import dev.runlane.steps.task.StepTaskState;
import io.vertx.core.Future;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Stands in front of the tables of steps and remembers which attempts have a result: none of them is asked for again,
 * but by a command that was under way when the result was taken.
 */
public final class StepWatch implements InvocationHandler {
  private static final int MOST_RESULTS = 10_000;

  /** How long a dispatcher that has claimed a step may need to ask for it: slow calls and a pause. */
  private static final Duration UNDER_WAY = Duration.ofMinutes(2);

  private final StepTransport real;
  private final Supplier<Instant> trueTime;
  private final Consumer<Violation> found;
  private final Map<String, Integer> claimed = new HashMap<>(); // the attempt of each step
  private final Map<String, Integer> recorded = new HashMap<>(); // the last attempt with a result
  private final Map<String, Instant> taken = new HashMap<>(); // when the last result was
  private final Map<String, Instant> answers = new HashMap<>();
  private final Set<String> asked = new LinkedHashSet<>();

  public StepWatch(StepTransport real, Supplier<Instant> trueTime, Consumer<Violation> found) {
    this.real = real;
    this.trueTime = trueTime;
    this.found = found;
  }

  /** When each step was answered last, but for those that were asked for again since. */
  public Map<String, Instant> answers() {
    return Map.copyOf(answers);
  }

  /** The watched transport. */
  public StepTransport transport() {
    return (StepTransport) Proxy.newProxyInstance(
        StepWatch.class.getClassLoader(), new Class<?>[] {StepTransport.class}, this);
  }

  /** Tasks and results that nobody has taken away, of the runs that there are; empty when there are none. */
  public String leftovers(Instant now, Predicate<String> isThere) {
    List<StepTaskState> tasks =
        real.listStepTasks(new ListStepTasks(List.copyOf(asked))).result();
    List<StepResultRef> results = real
        .listStepResults(new ListStepResults(
            now.plus(Duration.ofDays(1)), Duration.ofMillis(1), null, MOST_RESULTS))
        .result()
        .stream()
        .filter(result -> isThere.test(result.runId()))
        .toList();
    return tasks.isEmpty() && results.isEmpty() ? "" : "tasks " + tasks + ", results " + results;
  }

  @Override
  public @Nullable Object invoke(
      Object proxy, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    Object answer = reached(method, arguments);
    if (answer instanceof Future<?> future && future.succeeded() && arguments != null) {
      look(arguments[0], future.result());
    }
    return answer;
  }

  private @Nullable Object reached(Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  private void look(@Nullable Object command, @Nullable Object result) {
    if (command instanceof DispatchSteps dispatch) {
      dispatched(dispatch, (List<?>) result);
    } else if (command instanceof RecordStepResults record) {
      recorded(record, (List<?>) result);
    } else if (command instanceof SettleStepResults settle) {
      settled(settle, (List<?>) result);
    } else if (result instanceof List<?> list) {
      for (Object each : list) {
        if (each instanceof ClaimedStepTask task) {
          claimed.put(task.claim().stepId(), task.task().attempt());
        }
      }
    }
  }

  private void dispatched(DispatchSteps dispatch, @Nullable List<?> outcomes) {
    for (int index = 0; outcomes != null && index < outcomes.size(); index++) {
      StepTask step = dispatch.steps().get(index);
      asked.add(step.stepId());
      Integer last = recorded.get(step.stepId());
      if (outcomes.get(index) == DispatchOutcome.DISPATCHED
          && last != null
          && last < step.attempt()) {
        answers.remove(step.stepId()); // it was a failure that is retried, which is no result
      }
      if (outcomes.get(index) == DispatchOutcome.DISPATCHED
          && last != null
          && last >= step.attempt()
          && !mayBeUnderWay(step.stepId())) {
        found.accept(new Violation(
            Rule.STEP_ASKED_ONCE,
            step.stepId(),
            "attempt " + step.attempt() + " is asked for, and attempt " + last
                + " has its result"));
      }
    }
  }

  private boolean mayBeUnderWay(String stepId) {
    Instant at = taken.get(stepId);
    return at != null && trueTime.get().isBefore(at.plus(UNDER_WAY));
  }

  private void settled(SettleStepResults settle, @Nullable List<?> outcomes) {
    for (int index = 0; outcomes != null && index < outcomes.size(); index++) {
      if (outcomes.get(index) == SettleOutcome.SETTLED) {
        taken.put(settle.settlements().get(index).claim().stepId(), trueTime.get());
      }
    }
  }

  private void recorded(RecordStepResults record, @Nullable List<?> outcomes) {
    for (int index = 0; outcomes != null && index < outcomes.size(); index++) {
      String stepId = record.results().get(index).claim().stepId();
      if (outcomes.get(index) == RecordOutcome.RECORDED) {
        taken.remove(stepId);
        answers.put(stepId, trueTime.get());
        recorded.merge(stepId, claimed.getOrDefault(stepId, 1), Math::max);
      }
    }
  }
}
