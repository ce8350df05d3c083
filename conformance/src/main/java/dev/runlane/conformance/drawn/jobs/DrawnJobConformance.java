package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.drawn.Trial;
import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.jobs.store.JobStore;
import java.util.List;

/** Commands drawn from seeds, or found once, for both stores in turn. */
abstract class DrawnJobConformance extends JobStoreConformance {
  /** One sequence at a time, since some questions are about all queues. */
  static final int AT_ONCE = 1;

  private final JobContract contract;

  DrawnJobConformance(JobContract contract) {
    this.contract = contract;
  }

  /** A sequence that was found once. */
  protected final void assertHeld(Step... steps) {
    trial().holds(List.of(steps));
  }

  protected static Step step(int number, Object command) {
    return new Step(number, command);
  }

  final Trial<JobStore, JobModel> trial() {
    return new Trial<>(contract, List.of(store, other()));
  }
}
