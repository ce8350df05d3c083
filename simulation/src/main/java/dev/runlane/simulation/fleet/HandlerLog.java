package dev.runlane.simulation.fleet;

import dev.runlane.run.RunEvent;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.simulation.history.OutcomeAttempt;
import dev.runlane.simulation.history.StoredState.Effect;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.storage.read.RunEventRecord;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
  private final Map<String, List<Call>> open = new LinkedHashMap<>();
  private final List<Effect> effects = new ArrayList<>();

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

  /** One for each call. */
  List<Effect> effects() {
    return effects;
  }

  Call begins(Lifetime life, TaskContext context) {
    Call call = new Call(life, context.runId(), context.attempt());
    trace.note(life, "handler of " + context.taskId() + " " + call.run + " #" + call.attempt);
    effects.add(new Effect(call.run, call.attempt));
    List<Call> others = open.computeIfAbsent(call.run, first -> new ArrayList<>());
    others.removeIf(Call::isOver);
    others.forEach(other -> compare(other, call));
    others.add(call);
    context.signal().onComplete(reason -> {
      call.told = true;
      trace.note(
          life, "handler of " + call.run + " #" + call.attempt + " is told " + reason.result());
    });
    return call;
  }

  /** The handler of an attempt that nobody has ended has the first word on how it ends. */
  void returns(Call call) {
    if (!call.told && hasOutcome(call)) {
      found.accept(new Violation(
          Rule.ONE_OUTCOME,
          call.run,
          "attempt " + call.attempt + " had ended before its handler in " + call.life
              + " returned, which was not told to give up"));
    }
    call.returned = true;
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

  /** The handler does nothing but wait for a step or a sleep, and need not be told that its attempt was given up. */
  void waits(Call call) {
    call.waits = true;
  }

  void stepWorks(Call call, String name, Set<String> recordedBefore) {
    call.waits = false;
    trace.note(call.life, "step " + name + " of " + call.run);
    if (recordedBefore.contains(name)) {
      found.accept(new Violation(
          Rule.STEP_ONCE,
          call.run,
          "attempt " + call.attempt + " does step " + name + " again, whose result it began with"));
    }
  }

  private void compare(Call earlier, Call later) {
    long overlap = tolerated.applyAsLong(later.life) + SAME_MOMENT;
    long judgedAt = Math.max(time.now(), earlier.life.pausedUntil()) + overlap;
    time.after(judgedAt - time.now(), Lifetime.WORLD, () -> {
      long resumed = earlier.life.pausedUntil();
      if (time.now() <= resumed + SAME_MOMENT && !earlier.isOver()) {
        compare(earlier, later); // was paused again meanwhile
      } else if (!earlier.isOver() && !earlier.told && !earlier.waits && !hasOutcome(earlier)) {
        found.accept(new Violation(
            Rule.ONE_HANDLER,
            earlier.run,
            "attempt " + earlier.attempt + " in " + earlier.life + " still held it when attempt "
                + later.attempt + " in " + later.life + " was called"));
      }
    });
  }

  private boolean hasOutcome(Call call) {
    return stored.history(call.run).stream()
        .map(row -> OutcomeAttempt.of(row.event()))
        .anyMatch(outcome -> outcome.isPresent() && outcome.getAsInt() == call.attempt);
  }

  /** One call of a handler. */
  static final class Call {
    private final Lifetime life;
    private final String run;
    private final int attempt;
    private boolean told;
    private boolean returned;
    private boolean waits;

    Call(Lifetime life, String run, int attempt) {
      this.life = life;
      this.run = run;
      this.attempt = attempt;
    }

    private boolean isOver() {
      return returned || life.isOver();
    }
  }
}
