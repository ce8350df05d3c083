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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
  private final Map<Done, Long> done = new HashMap<>();

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
          new Target("queue", queue),
          process -> process.runlane().operator().pauseQueue(queue, BY),
          process -> process.runlane().operator().resumeQueue(queue, BY));
    }
    for (int pause = 0; pause < operating.schedulePauses(); pause++) {
      pause(
          new Target("schedule", Catalogue.TICKING + "/" + Catalogue.SCHEDULE),
          process -> process.runlane().schedules().pause(Catalogue.TICKING, Catalogue.SCHEDULE, BY),
          process ->
              process.runlane().schedules().resume(Catalogue.TICKING, Catalogue.SCHEDULE, BY));
    }
    for (int redrive = 0; redrive < operating.redrives(); redrive++) {
      fleet.call(chance.point(5_000_000, last), chance.number(), process -> {
        trace.note(process.life(), "redrive");
        judge(
            process,
            "outbox.redrive",
            null,
            process.runlane().operator().redriveDeadLetters(REDRIVEN, BY));
      });
    }
    if (operating.queuePauses() + operating.schedulePauses() > 0) {
      time.after(last + AGAIN, Lifetime.WORLD, () -> resumeWhatIsLeft(1));
    }
  }

  private void pause(
      Target what,
      Function<SimulatedProcess, Future<Boolean>> pause,
      Function<SimulatedProcess, Future<Boolean>> resume) {
    long from = chance.point(1_000_000, setup.faultsUntil());
    long length = chance.micros(Duration.ofSeconds(1), Duration.ofMinutes(4));
    fleet.call(from, chance.number(), process -> {
      trace.note(process.life(), "pauses " + what);
      judge(process, what.kind() + ".pause", what.name(), pause.apply(process));
    });
    resumeAt(Math.min(from + length, setup.faultsUntil()), what, resume);
  }

  private void resumeAt(long at, Target what, Function<SimulatedProcess, Future<Boolean>> resume) {
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
        judge(one, what.kind() + ".resume", what.name(), resume.apply(one))
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
            process -> judge(
                process,
                "queue.resume",
                queue,
                process.runlane().operator().resumeQueue(queue, BY))));
    if (fleet.watch().isAnySchedulePaused()) {
      fleet.call(
          0,
          look,
          process -> judge(
              process,
              "schedule.resume",
              Catalogue.TICKING + "/" + Catalogue.SCHEDULE,
              process.runlane().schedules().resume(Catalogue.TICKING, Catalogue.SCHEDULE, BY)));
    }
    if (look < MOST_LOOKS) {
      time.after(AGAIN, Lifetime.WORLD, () -> resumeWhatIsLeft(look + 1));
    }
  }

  private <T> Future<T> judge(
      SimulatedProcess by, String action, @Nullable String target, Future<T> answer) {
    long askedAt = time.now();
    return answer
        .onSuccess(done -> checkRecorded(by, askedAt, new Done(action, target)))
        .onFailure(failure -> {
          String what = action.substring(action.indexOf('.') + 1);
          trace.note(Lifetime.WORLD, what + ": " + failure.getMessage());
          if (!(failure instanceof RunlaneException known && REFUSALS.contains(known.code()))) {
            found.accept(new Violation(Rule.MISTAKE, what, String.valueOf(failure)));
          }
        });
  }

  /** That something was done is recorded by the time that it is answered, where nothing went wrong meanwhile. */
  private void checkRecorded(SimulatedProcess by, long askedAt, Done what) {
    if (by.isStopping() || !fleet.isWithoutFault(askedAt, time.now())) {
      return;
    }
    long times = done.merge(what, 1L, Long::sum);
    long recorded = fleet.operations().actions().stream()
        .filter(action -> action.action().equals(what.action)
            && Objects.equals(action.target(), what.target)
            && Boolean.TRUE.equals(action.succeeded()))
        .count();
    if (recorded < times) {
      found.accept(new Violation(
          Rule.RECORDED, what.action, "done " + times + " times, recorded " + recorded));
    }
  }

  /** What is paused. */
  private record Target(String kind, String name) {
    @Override
    public String toString() {
      return kind.equals("queue") ? "queue " + name : "the schedule";
    }
  }

  /** What was done, and to what. */
  private record Done(String action, @Nullable String target) {}
}
