package dev.runlane.simulation.fleet;

import dev.runlane.run.RunEvent;
import dev.runlane.run.RunRecord;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.watch.StoredRuns;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.read.RunEventRecord;
import io.vertx.core.AsyncResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * What handlers saw. Looks, whenever one is called, whether another one still believes that it holds the same run: its
 * process lives, it was not told to give up, it has not returned, and no outcome of its attempt is stored.
 */
final class HandlerLog {
  private static final long SAME_MOMENT = 1_000;

  private final VirtualTime time;
  private final Trace trace;
  private final StoredRuns stored;
  private final ToLongFunction<Lifetime> tolerated;
  private final Consumer<Violation> found;
  private final Map<String, List<HandlerCall>> open = new LinkedHashMap<>();
  private final List<HandlerCall> calls = new ArrayList<>();
  private long results;

  /** @param tolerated for how many microseconds two may overlap because of the clock of the later one's process */
  HandlerLog(
      VirtualTime time,
      Trace trace,
      StoredRuns stored,
      ToLongFunction<Lifetime> tolerated,
      Consumer<Violation> found) {
    this.time = time;
    this.trace = trace;
    this.stored = stored;
    this.tolerated = tolerated;
    this.found = found;
  }

  /** All of them, in order. */
  List<HandlerCall> calls() {
    return calls;
  }

  HandlerCall begins(Lifetime life, TaskContext context) {
    HandlerCall call = new HandlerCall(life, context.runId(), context.attempt(), time.now());
    trace.note(life, "handler of " + context.taskId() + " " + call.run() + " #" + call.attempt());
    calls.add(call);
    checkContext(context);
    List<HandlerCall> others = open.computeIfAbsent(call.run(), first -> new ArrayList<>());
    others.removeIf(HandlerCall::isOver);
    others.forEach(other -> compare(other, call));
    others.add(call);
    context.signal().onComplete(reason -> {
      call.told(reason.result(), time.now());
      trace.note(
          life, "handler of " + call.run() + " #" + call.attempt() + " is told " + reason.result());
    });
    return call;
  }

  /** What a handler is told of its run is what is stored, as long as the run is its own. */
  private void checkContext(TaskContext context) {
    RunRecord run = stored.run(context.runId());
    if (run != null
        && run.lease() != null
        && run.counters().attempts() == context.attempt()
        && !(run.counters().failures() == context.failures()
            && run.taskId().equals(context.taskId())
            && run.queue().equals(context.queue())
            && run.environment().equals(context.environment())
            && context
                .traceCarrier()
                .equals(Objects.requireNonNullElse(run.traceCarrier(), Map.of())))) {
      found.accept(new Violation(
          Rule.CONTEXT,
          run.id(),
          "its handler is told of queue " + context.queue() + ", " + context.failures()
              + " failures and trace " + context.traceCarrier() + ", but it is " + run));
    }
  }

  /** The handler of an attempt that nobody has ended has the first word on how it ends. */
  void returns(HandlerCall call, AsyncResult<TaskResult> result) {
    if (!call.isTold() && hasOutcome(call)) {
      found.accept(new Violation(
          Rule.ONE_OUTCOME,
          call.run(),
          "attempt " + call.attempt() + " had ended before its handler in " + call.life()
              + " returned, which was not told to give up"));
    }
    call.returns(result, time.now());
  }

  /** Steps of the run whose result was recorded before this call. */
  Set<String> recordedSteps(String run) {
    Map<String, String> names = new LinkedHashMap<>();
    Set<String> recorded = new HashSet<>();
    for (RunEventRecord row : stored.history(run)) {
      if (row.event() instanceof RunEvent.StepRequested asked) {
        names.put(asked.stepId(), asked.name());
      } else if (row.event() instanceof RunEvent.StepCompleted done && !done.isFailed()) {
        String name = names.get(done.stepId());
        if (name != null) {
          recorded.add(name);
        }
      }
    }
    return recorded;
  }

  /** The result of a step's work, never the same again. */
  long fresh(HandlerCall call) {
    results++;
    return call.result(results);
  }

  /** A handler is given a result: one that stands in the history of its run, and behind those that it was given. */
  void sees(HandlerCall call, String step, long value) {
    if (stored.run(call.run()) == null) {
      return; // pruned
    }
    OptionalLong recorded = stored.history(call.run()).stream()
        .filter(row -> row.event() instanceof RunEvent.StepCompleted done
            && done.output() != null
            && done.output().text().equals(Long.toString(value)))
        .mapToLong(RunEventRecord::sequence)
        .findFirst();
    if (recorded.isEmpty() || !call.isGiven(recorded.getAsLong())) {
      found.accept(new Violation(
          Rule.STEP_REPLAY,
          call.run(),
          "attempt " + call.attempt() + " is given " + value + " of step " + step
              + (recorded.isEmpty() ? ", which is not recorded" : " out of order")));
    }
  }

  /** The handler does nothing but wait for a step or a sleep, and need not be told that its attempt was given up. */
  void waits(HandlerCall call) {
    call.waits(true);
  }

  void stepWorks(HandlerCall call, String name, Set<String> recordedBefore) {
    call.waits(false);
    trace.note(call.life(), "step " + name + " of " + call.run());
    if (recordedBefore.contains(name) || isRecordedByOwner(call, name)) {
      found.accept(new Violation(
          Rule.STEP_ONCE,
          call.run(),
          "attempt " + call.attempt() + " does step " + name + " again, which has its result"));
    }
  }

  /** Whether the step has its result already in the attempt that owns the run. */
  private boolean isRecordedByOwner(HandlerCall call, String step) {
    RunRecord run = stored.run(call.run());
    return run != null
        && run.lease() != null
        && run.counters().attempts() == call.attempt()
        && recordedSteps(call.run()).contains(step);
  }

  private void compare(HandlerCall earlier, HandlerCall later) {
    long overlap = tolerated.applyAsLong(later.life()) + SAME_MOMENT;
    long judgedAt = Math.max(time.now(), earlier.life().pausedUntil()) + overlap;
    time.after(judgedAt - time.now(), Lifetime.WORLD, () -> {
      long resumed = earlier.life().pausedUntil();
      if (time.now() <= resumed + SAME_MOMENT && !earlier.isOver()) {
        compare(earlier, later); // was paused again meanwhile
      } else if (!earlier.isOver()
          && !earlier.isTold()
          && !earlier.waits()
          && !hasOutcome(earlier)) {
        found.accept(new Violation(
            Rule.ONE_HANDLER,
            earlier.run(),
            "attempt " + earlier.attempt() + " in " + earlier.life()
                + " still held it when attempt " + later.attempt() + " in " + later.life()
                + " was called"));
      }
    });
  }

  /** Whether an outcome of its attempt is stored. */
  boolean hasOutcome(HandlerCall call) {
    return stored.history(call.run()).stream()
        .map(row -> OutcomeAttempt.of(row.event()))
        .anyMatch(outcome -> outcome.isPresent() && outcome.getAsInt() == call.attempt());
  }
}
