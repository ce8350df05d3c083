package dev.runlane.simulation.fleet;

import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.Line;
import dev.runlane.simulation.network.RemoteCalls;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.watch.StepWatch;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.steps.StepTransport;
import dev.runlane.storage.memory.MemoryStepTransport;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The tables of remote steps, and the workers of another program who look into them. */
final class StepWorkers {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration LATER = Duration.ofSeconds(10);

  private final VirtualTime time;
  private final Faults faults;
  private final Chance trips;
  private final Duration longestTrip;
  private final Chance restarts;
  private final Trace trace;
  private final Consumer<Violation> found;
  private final StepWatch watch;
  private final List<Lifetime> lives = new ArrayList<>();
  private boolean ending;

  StepWorkers(
      VirtualTime time,
      Faults faults,
      Chance trips,
      Duration longestTrip,
      Chance restarts,
      Trace trace,
      Consumer<Violation> found) {
    this.time = time;
    this.faults = faults;
    this.trips = trips;
    this.longestTrip = longestTrip;
    this.restarts = restarts;
    this.trace = trace;
    this.found = found;
    watch = new StepWatch(new MemoryStepTransport(), time::instant, found);
  }

  /** The tables at the other end of a line. */
  StepTransport over(Line line) {
    return RemoteCalls.to(StepTransport.class, watch.transport(), line);
  }

  /** @param first the number of the first worker's process */
  void start(int first, int workers) {
    for (int number = 0; number < workers; number++) {
      startOne(first + number, 1);
    }
  }

  void end() {
    ending = true;
    lives.forEach(Lifetime::end);
  }

  /** When each step was answered last. */
  Map<String, Instant> answers() {
    return watch.answers();
  }

  /** What nobody has taken away, of the runs that there are; empty when that is nothing. */
  String leftovers(Predicate<String> isThere) {
    return watch.leftovers(time.instant(), isThere);
  }

  /** One that is killed at a call is followed by another. */
  private void startOne(int process, int number) {
    if (ending) {
      return;
    }
    Lifetime life = new Lifetime(process, number);
    lives.add(life);
    StorageLine line = new StorageLine(
        time,
        life,
        faults,
        trips,
        longestTrip,
        trace,
        dead -> {
          trace.note(dead, "is killed at a call");
          dead.end();
          long pause = restarts.micros(SOON, LATER);
          time.after(pause, Lifetime.WORLD, () -> startOne(process, number + 1));
        },
        (method, failure) -> found.accept(
            new Violation(Rule.MISTAKE, life.toString(), method + ": " + failure.getMessage())));
    new StepWorker(life, over(line), time, faults, trace).start();
  }
}
