package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.drawn.Step;
import dev.runlane.conformance.drawn.Trial;
import dev.runlane.conformance.jobs.JobStoreConformance;
import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.model.jobs.JobModel;
import dev.runlane.jobs.store.JobStore;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Commands drawn from seeds are answered as {@link JobModel} answers them, and leave behind what it says. More seeds:
 * {@code -Drunlane.model.sequences=10000 -Drunlane.model.from=301}.
 */
@DisplayName("what a model of the contract says")
public abstract class JobModelConformance extends JobStoreConformance {
  /** Sequences where nothing else is said = 100, since a database answers one command at a time. */
  public static final int SEQUENCES = 100;

  /** One at a time, since some questions are about all queues. */
  private static final int AT_ONCE = 1;

  @Test
  @Rule("model")
  void commands_drawn_from_seeds_are_answered_as_the_model_answers_them() {
    trial().holds(SEQUENCES, AT_ONCE);
  }

  /** A sequence that was found once. */
  protected void assertHeld(Step... steps) {
    trial().holds(List.of(steps));
  }

  protected static Step step(int number, Object command) {
    return new Step(number, command);
  }

  private Trial<JobStore, JobModel> trial() {
    return new Trial<>(new JobContract(), List.of(store, other));
  }
}
