package dev.runlane.runtime.attempt;

import dev.runlane.run.RunRecord;
import dev.runlane.runtime.observe.AttemptObserver;
import dev.runlane.timing.ContextTurns;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Where an attempt's handler is called. Every turn that begins here has run, task and attempt in the log's MDC, and
 * leaves it as it was.
 */
final class AttemptExecutor implements Executor {
  /** The key of the run's id. */
  static final String RUN = "run";

  /** The key of the task's id. */
  static final String TASK = "task";

  /** The key of the attempt's number. */
  static final String ATTEMPT = "attempt";

  private final Executor executor;
  private final String runId;
  private final String taskId;
  private final String attempt;
  private final AttemptObserver observer;

  AttemptExecutor(Executor executor, RunRecord run) {
    this(executor, run, AttemptObserver.NONE);
  }

  /** @param observer is told of each turn */
  AttemptExecutor(Executor executor, RunRecord run, AttemptObserver observer) {
    this.observer = observer;
    this.executor = executor;
    runId = run.id();
    taskId = run.taskId();
    attempt = Integer.toString(run.counters().attempts());
  }

  @Override
  public void execute(Runnable action) {
    executor.execute(() -> runNow(action));
  }

  /** Runs the action now. */
  void runNow(Runnable action) {
    SavedMdc before = setMdc();
    AttemptObserver.Turn turn = observer.turn();
    try {
      action.run();
    } finally {
      turn.end();
      before.restore();
    }
  }

  /** Runs the work now, in a turn of this executor's. */
  <T> T call(Supplier<T> work) {
    return ContextTurns.now(executor, () -> {
      SavedMdc before = setMdc();
      AttemptObserver.Turn turn = observer.turn();
      try {
        return work.get();
      } finally {
        turn.end();
        before.restore();
      }
    });
  }

  /** The same work, for a thread of its own. */
  <T extends @Nullable Object> Callable<T> wrapped(Callable<T> work) {
    return () -> {
      MDC.put(RUN, runId);
      MDC.put(TASK, taskId);
      MDC.put(ATTEMPT, attempt);
      AttemptObserver.Turn turn = observer.turn();
      try {
        return work.call();
      } finally {
        turn.end();
        MDC.remove(RUN);
        MDC.remove(TASK);
        MDC.remove(ATTEMPT);
      }
    };
  }

  /** What stood in the place of this attempt. */
  private SavedMdc setMdc() {
    SavedMdc before = new SavedMdc(MDC.get(RUN), MDC.get(TASK), MDC.get(ATTEMPT));
    MDC.put(RUN, runId);
    MDC.put(TASK, taskId);
    MDC.put(ATTEMPT, attempt);
    return before;
  }

  private record SavedMdc(
      @Nullable String run, @Nullable String task, @Nullable String attempt) {
    void restore() {
      restore(RUN, run);
      restore(TASK, task);
      restore(ATTEMPT, attempt);
    }

    private static void restore(String key, @Nullable String before) {
      if (before == null) {
        MDC.remove(key);
      } else {
        MDC.put(key, before);
      }
    }
  }
}
