package dev.runlane.simulation.jobs;

import dev.runlane.simulation.history.Violation;
import dev.runlane.simulation.history.Violation.Rule;
import java.util.function.Consumer;

/** What must hold when a fleet of job workers has come to rest. */
public final class JobFinalChecks {
  private final JobFleet fleet;
  private final JobCallers callers;
  private final boolean clocksDiffer;
  private final Consumer<Violation> found;

  /**
   * @param clocksDiffer whether a clock was wrong; a window of a rate limit is one of the workers' clocks
   * @param found is told of everything that must not be
   */
  public JobFinalChecks(
      JobFleet fleet, JobCallers callers, boolean clocksDiffer, Consumer<Violation> found) {
    this.fleet = fleet;
    this.callers = callers;
    this.clocksDiffer = clocksDiffer;
    this.found = found;
  }

  /** Looks at everything. */
  public void look() {
    for (String job : callers.answered()) {
      if (!fleet.stored().seen().contains(job)) {
        found.accept(new Violation(Rule.ANSWER, job, "was said to be there, and never was"));
      }
    }
    if (!clocksDiffer) {
      fleet.rules().rates();
    }
    long fires = fleet.stored().fires(JobQueues.PLAIN, JobCallers.TICK);
    long jobs = fleet.stored().firedJobs();
    if (fires != jobs || (fires != JobCallers.FIRES && !clocksDiffer)) {
      found.accept(new Violation(
          Rule.ONE_FIRE, JobCallers.TICK, fires + " fires have made " + jobs + " jobs"));
    }
  }
}
