package dev.runlane.simulation.jobs;

import dev.runlane.jobs.JobData;
import dev.runlane.jobs.memory.MemoryJobStore;
import dev.runlane.jobs.store.JobStore;
import dev.runlane.jobs.store.JobStoreOptions;
import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.Fault.Kind;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.network.RemoteCalls;
import dev.runlane.simulation.network.StorageLine;
import dev.runlane.simulation.world.Chance;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.ProcessClock;
import dev.runlane.simulation.world.ProcessTimers;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.timing.Randomness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** All processes of one world, on one store, and the faults that hit them; one that dies is started again. */
public final class JobFleet {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration LATER = Duration.ofSeconds(10);

  private final long seed;
  private final JobSetup setup;
  private final Faults faults;
  private final VirtualTime time;
  private final Trace trace;
  private final Consumer<Violation> found;
  private final JobStore store;
  private final StoredJobs stored;
  private final JobRowRules rules;
  private final JobCallLog calls;
  private final JobChildRules children;
  private final Operations operations = new Operations();
  private final Chance trips;
  private final Chance restarts;
  private final List<Place> places = new ArrayList<>();
  private boolean closing;

  /**
   * @param clocksDiffer how far two clocks are apart at most
   * @param found is told of everything that must not be
   */
  public JobFleet(
      long seed,
      JobSetup setup,
      Faults faults,
      Duration clocksDiffer,
      VirtualTime time,
      Trace trace,
      Consumer<Violation> found) {
    this.seed = seed;
    this.setup = setup;
    this.faults = faults;
    this.time = time;
    this.trace = trace;
    this.found = found;
    calls =
        new JobCallLog(time, trace, VirtualTime.micros(clocksDiffer), setup.concurrency(), found);
    rules = new JobRowRules(setup, time, calls, operations, clocksDiffer, found);
    JobStore memory = new MemoryJobStore(
        new JobStoreOptions().setMetricsEnabled(true),
        Randomness.seeded(Chance.of(seed, "tokens").number()));
    stored = new StoredJobs(memory, rules);
    children = new JobChildRules(stored, found);
    store = RemoteCalls.to(JobStore.class, memory, stored);
    trips = Chance.of(seed, "trips");
    restarts = Chance.of(seed, "restarts");
    for (int number = 0; number < setup.processes(); number++) {
      places.add(new Place(number));
    }
  }

  /** Starts every process, and schedules what happens to processes by the list of faults. */
  public void start() {
    places.forEach(place -> time.after(0, Lifetime.WORLD, place::start));
    for (Fault fault : faults.of(Kind.KILL)) {
      Place place = places.get(fault.process());
      at(fault.from(), () -> place.killUntil(fault.until()));
      at(fault.until(), place::start);
    }
    for (Fault fault : faults.of(Kind.PAUSE)) {
      at(fault.from(), () -> places.get(fault.process()).pause(fault.until()));
    }
    for (Fault fault : faults.of(Kind.RESTART)) {
      at(fault.from(), places.get(fault.process())::stop);
    }
  }

  private void at(long micros, Runnable action) {
    time.after(micros - time.now(), Lifetime.WORLD, action);
  }

  List<SimulatedJobs> up() {
    List<SimulatedJobs> up = new ArrayList<>();
    for (Place place : places) {
      if (place.process != null && place.isUp) {
        up.add(place.process);
      }
    }
    return up;
  }

  StoredJobs stored() {
    return stored;
  }

  JobRowRules rules() {
    return rules;
  }

  Operations operations() {
    return operations;
  }

  /** Jobs that have not ended. */
  public List<JobData> open() {
    return stored.open();
  }

  /** How many jobs there ever were. */
  public int jobs() {
    return stored.seen().size();
  }

  /** Whether every process is up and every job has ended. */
  public boolean isAtRest() {
    return up().size() == places.size() && stored.open().isEmpty();
  }

  /** Closes every process for good, in order and at once; each is to leave nothing behind. */
  public void close() {
    closing = true;
    places.forEach(Place::stop);
  }

  /** Reports what closed processes left behind. */
  public void checkLeftovers() {
    places.forEach(Place::checkLeftover);
  }

  /** Where one process after the other runs. */
  private final class Place {
    private final int number;
    private int lives;
    private @Nullable SimulatedJobs process;
    private @Nullable Lifetime work; // of its handlers
    private boolean isUp;
    private long downUntil;

    Place(int number) {
      this.number = number;
    }

    void start() {
      if (process != null || closing || time.now() < downUntil) {
        return;
      }
      lives++;
      Lifetime life = new Lifetime(number, lives);
      Lifetime handlers = new Lifetime(number, lives);
      trace.note(life, "starts");
      StorageLine line = new StorageLine(
          time,
          life,
          faults,
          trips,
          setup.longestTrip(),
          trace,
          dead -> kill("is killed at a call"),
          (method, failure) -> found.accept(new Violation(
              Rule.MISTAKE, life.toString(), method + " failed: " + failure.getMessage())));
      SimulatedJobs begun = new SimulatedJobs(
          time,
          life,
          setup,
          RemoteCalls.to(JobStore.class, store, new ListenerLine(line)),
          new ProcessClock(time, now -> faults.clockAhead(now, number)),
          Chance.of(seed, life.toString()).number());
      process = begun;
      work = handlers;
      isUp = true;
      begun.start(
          new JobHandlers(seed, handlers, new ProcessTimers(time, handlers), calls, children));
    }

    void killUntil(long until) {
      downUntil = until;
      kill("is killed");
    }

    void kill(String how) {
      SimulatedJobs killed = process;
      if (killed != null) {
        trace.note(killed.life(), how);
        gone(killed);
        time.after(restarts.micros(SOON, LATER), Lifetime.WORLD, this::start);
      }
    }

    private void gone(SimulatedJobs ended) {
      ended.life().end();
      Objects.requireNonNull(work).end();
      process = null;
      isUp = false;
    }

    void pause(long until) {
      if (process != null) {
        trace.note(process.life(), "is stopped");
        process.life().pause(time.now(), until);
        Objects.requireNonNull(work).pause(time.now(), until);
      }
    }

    void stop() {
      SimulatedJobs stopping = process;
      if (stopping == null || !isUp) {
        return;
      }
      isUp = false;
      trace.note(stopping.life(), "is told to end");
      long pausedBefore = stopping.life().pausedMicros();
      long pauseLeft = Math.max(0, stopping.life().pausedUntil() - time.now());
      time.after(
          VirtualTime.micros(SimulatedJobs.CLOSE_BOUND.multipliedBy(2)) + pauseLeft,
          Lifetime.WORLD,
          () -> giveUp(stopping, pausedBefore));
      stopping.stop().onComplete(stopped -> {
        trace.note(stopping.life(), "has ended");
        boolean isSlow = stopped.result().compareTo(SimulatedJobs.CLOSE_BOUND) > 0;
        if (isSlow && pauseLeft == 0 && stopping.life().pausedMicros() == pausedBefore) {
          broken(Rule.CLOSE, stopping, "its close took " + stopped.result());
        }
        Objects.requireNonNull(work).end();
        if (!closing) {
          gone(stopping);
          time.after(restarts.micros(SOON, LATER), Lifetime.WORLD, this::start);
        }
      });
    }

    private void giveUp(SimulatedJobs stopping, long pausedBefore) {
      if (process == stopping && !closing) {
        if (stopping.life().pausedMicros() == pausedBefore) {
          broken(Rule.CLOSE, stopping, "it was still there after twice its bound");
        }
        kill("is killed, since it did not end");
      }
    }

    void checkLeftover() {
      SimulatedJobs closed = process;
      if (closed != null && time.pending(closed.life()) > 0) {
        broken(
            Rule.LEFTOVER,
            closed,
            time.pending(closed.life()) + " timers or calls are left after its close");
      }
    }

    private void broken(Rule rule, SimulatedJobs of, String what) {
      found.accept(new Violation(rule, of.life().toString(), what));
    }
  }
}
