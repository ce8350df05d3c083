package dev.runlane.simulation;

import dev.runlane.jobs.JobData;
import dev.runlane.simulation.fault.Fault;
import dev.runlane.simulation.fault.FaultMaker;
import dev.runlane.simulation.fault.Faults;
import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import dev.runlane.simulation.jobs.JobCallers;
import dev.runlane.simulation.jobs.JobFinalChecks;
import dev.runlane.simulation.jobs.JobFleet;
import dev.runlane.simulation.jobs.JobSetup;
import dev.runlane.simulation.world.Lifetime;
import dev.runlane.simulation.world.Trace;
import dev.runlane.simulation.world.VirtualTime;
import dev.runlane.simulation.world.WorldVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One world of job workers, from its seed: a fleet works while faults hit it, then nothing goes wrong any more, and
 * within a bound every job has ended.
 */
public final class JobSimulation {
  private static final long LOOK = VirtualTime.micros(Duration.ofSeconds(10));
  private static final Duration TO_CLOSE = Duration.ofSeconds(75);
  private static final int MOST_VIOLATIONS = 50;

  private final long seed;
  private final List<Fault> list;
  private final JobSetup setup;
  private final VirtualTime time;
  private final Trace trace;
  private final Faults faults;
  private final JobFleet fleet;
  private final JobCallers callers;
  private final List<Violation> violations = new ArrayList<>();

  private JobSimulation(long seed, List<Fault> list, boolean isTraced) {
    this.seed = seed;
    long rows = WorldVersion.rowsOfJobs(seed);
    this.list = list;
    setup = JobSetup.of(rows);
    time = new VirtualTime((life, thrown) ->
        found(new Violation(Rule.MISTAKE, life.toString(), "thrown past every catch: " + thrown)));
    trace = new Trace(time, isTraced);
    faults = new Faults(list, rows);
    fleet = new JobFleet(rows, setup, faults, faults.clocksDiffer(), time, trace, this::found);
    callers = new JobCallers(rows, fleet, setup, time, trace);
  }

  /** The faults that the seed makes. */
  public static List<Fault> faults(long seed) {
    long rows = WorldVersion.rowsOfJobs(seed);
    JobSetup setup = JobSetup.of(rows);
    List<Fault> all = new ArrayList<>(FaultMaker.make(
        rows, JobSetup.kinds(), setup.processes(), setup.lock(), setup.faultsUntil()));
    if (WorldVersion.isSeventh(seed)) {
      all.addAll(FaultMaker.cuts(rows, setup.processes(), setup.faultsUntil()));
    }
    return all;
  }

  /** Runs the world of a seed. */
  public static Result run(long seed) {
    return run(seed, faults(seed));
  }

  /** Runs the world of a seed with these faults instead of its own. */
  public static Result run(long seed, List<Fault> faults) {
    return new JobSimulation(seed, faults, false).result();
  }

  /** The same, keeping a line of everything that happens. */
  public static Result trace(long seed, List<Fault> faults) {
    return new JobSimulation(seed, faults, true).result();
  }

  private Result result() {
    fleet.start();
    callers.start();
    time.runUntil(setup.faultsUntil());
    if (violations.isEmpty()) {
      settle();
    }
    if (violations.isEmpty()) {
      new JobFinalChecks(fleet, callers, !faults.clocksDiffer().isZero(), this::found).look();
    }
    if (violations.isEmpty()) {
      fleet.close();
      time.runUntil(time.now() + VirtualTime.micros(TO_CLOSE));
      fleet.checkLeftovers();
    }
    return new Result(
        seed,
        list,
        violations,
        trace.lines(),
        time.steps(),
        fleet.jobs(),
        faults.counts(),
        Duration.ofNanos(time.now() * 1_000));
  }

  /** Lets the fleet come to rest, and reports what has not within the bound. */
  private void settle() {
    long until = time.now() + VirtualTime.micros(bound(fleet.open().size()));
    while (time.now() < until && violations.isEmpty()) {
      time.runUntil(time.now() + LOOK);
      if (fleet.isAtRest() && callers.waiting().isEmpty()) {
        return;
      }
    }
    for (JobData job : fleet.open()) {
      found(new Violation(
          Rule.TERMINAL,
          job.queueName() + "/" + job.id(),
          "it is " + job.state().value() + ", due at " + job.delayUntil()));
    }
    if (violations.isEmpty()) {
      found(new Violation(Rule.TERMINAL, "the fleet", "is not at rest: " + callers.waiting()));
    }
  }

  /**
   * How long after the last fault every job has ended: what a crash leaves is taken over after a lock and a look for
   * lost jobs, whatever waits is due within its longest delay and within what the furthest clock was ahead, and then
   * the jobs of a narrow queue are worked on one after the other, each of them several times.
   */
  private Duration bound(int open) {
    return setup
        .lock()
        .multipliedBy(6)
        .plus(Duration.ofMinutes(20))
        .plus(faults.clocksDiffer())
        .plus(Duration.ofMinutes(5).multipliedBy(open));
  }

  private void found(Violation violation) {
    trace.note(Lifetime.WORLD, "VIOLATION " + violation);
    if (violations.size() < MOST_VIOLATIONS) {
      violations.add(violation);
    }
  }
}
