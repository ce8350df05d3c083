package dev.runlane.simulation.fleet;

import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RunActionOptions;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.operator.Operating;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Who pauses queues and the schedule, resumes them, and has published again what was given up. Whoever resumes tries
 * until that is done; when the faults are over, what is paused still is resumed.
 */
public final class Operators {
  private static final RunActionOptions BY = RunActionOptions.by("an operator");
  private static final List<ErrorCode> REFUSALS = List.of(
      ErrorCode.STORAGE_UNAVAILABLE,
      ErrorCode.STORAGE_CONFLICT,
      ErrorCode.OPERATION_CANCELLED,
      ErrorCode.SCHEDULE_NOT_FOUND);
  private static final long AGAIN = VirtualTime.micros(Duration.ofSeconds(5));
  private static final int MOST_LOOKS = 120; // ten minutes
  private static final int REDRIVEN = 100;

  private final Fleet fleet;
  private final Setup setup;
  private final VirtualTime time;
  private final Trace trace;
  private final Consumer<Violation> found;
  private final Chance chance;

  /** @param found is told of answers that must not be */
  public Operators(
      long seed,
      Fleet fleet,
      Setup setup,
      VirtualTime time,
      Trace trace,
      Consumer<Violation> found) {
    this.fleet = fleet;
    this.setup = setup;
    this.time = time;
    this.trace = trace;
    this.found = found;
    chance = Chance.of(seed, "operators");
  }

  /** Schedules everything they do. */
  public void start() {
    Operating operating = setup.operating();
    long last = setup.faultsUntil();
    for (int pause = 0; pause < operating.queuePauses(); pause++) {
      String queue = chance.one(List.of(Catalogue.OPEN, Catalogue.SHARED, Catalogue.NARROW));
      pause(
          "queue " + queue,
          process -> process.runlane().operator().pauseQueue(queue, BY),
          process -> process.runlane().operator().resumeQueue(queue, BY));
    }
    for (int pause = 0; pause < operating.schedulePauses(); pause++) {
      pause(
          "the schedule",
          process -> process.runlane().schedules().pause(Catalogue.TICKING, Catalogue.SCHEDULE, BY),
          process ->
              process.runlane().schedules().resume(Catalogue.TICKING, Catalogue.SCHEDULE, BY));
    }
    for (int redrive = 0; redrive < operating.redrives(); redrive++) {
      fleet.call(chance.point(5_000_000, last), chance.number(), process -> {
        trace.note(process.life(), "redrive");
        judge("redrive", process.runlane().operator().redriveDeadLetters(REDRIVEN, BY));
      });
    }
    if (operating.queuePauses() + operating.schedulePauses() > 0) {
      time.after(last + AGAIN, Lifetime.WORLD, () -> resumeWhatIsLeft(1));
    }
  }

  private void pause(
      String what,
      Function<SimulatedProcess, Future<Boolean>> pause,
      Function<SimulatedProcess, Future<Boolean>> resume) {
    long from = chance.point(1_000_000, setup.faultsUntil());
    long length = chance.micros(Duration.ofSeconds(1), Duration.ofMinutes(4));
    fleet.call(from, chance.number(), process -> {
      trace.note(process.life(), "pauses " + what);
      judge("pause", pause.apply(process));
    });
    resumeAt(Math.min(from + length, setup.faultsUntil()), what, resume);
  }

  private void resumeAt(long at, String what, Function<SimulatedProcess, Future<Boolean>> resume) {
    long choice = chance.number();
    time.after(at - time.now(), Lifetime.WORLD, () -> {
      List<SimulatedProcess> up = fleet.up();
      if (up.isEmpty()) {
        resumeAt(time.now() + AGAIN, what, resume);
        return;
      }
      SimulatedProcess one = up.get((int) Math.floorMod(choice, (long) up.size()));
      time.after(0, one.life(), () -> {
        trace.note(one.life(), "resumes " + what);
        judge("resume", resume.apply(one))
            .onFailure(failure -> resumeAt(time.now() + AGAIN, what, resume));
      });
    });
  }

  /** Of a pause that was carried out after its end, and of an end whose process died. */
  private void resumeWhatIsLeft(int look) {
    fleet.watch().pausedQueues().stream()
        .sorted()
        .forEach(queue -> fleet.call(
            0,
            look,
            process -> judge("resume", process.runlane().operator().resumeQueue(queue, BY))));
    if (fleet.watch().isAnySchedulePaused()) {
      fleet.call(
          0,
          look,
          process -> judge(
              "resume",
              process.runlane().schedules().resume(Catalogue.TICKING, Catalogue.SCHEDULE, BY)));
    }
    if (look < MOST_LOOKS) {
      time.after(AGAIN, Lifetime.WORLD, () -> resumeWhatIsLeft(look + 1));
    }
  }

  private <T> Future<T> judge(String what, Future<T> answer) {
    return answer.onFailure(failure -> {
      trace.note(Lifetime.WORLD, what + ": " + failure.getMessage());
      if (!(failure instanceof RunlaneException known && REFUSALS.contains(known.code()))) {
        found.accept(new Violation(Rule.MISTAKE, what, String.valueOf(failure)));
      }
    });
  }
}
