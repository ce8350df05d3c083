package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.kit.Rule;
import dev.runlane.conformance.model.jobs.JobModel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Commands drawn from seeds are answered as {@link JobModel} answers them, and leave behind what it says. More seeds:
 * {@code -Drunlane.model.sequences=10000 -Drunlane.model.from=301}.
 */
@DisplayName("what a model of the contract says")
public abstract class JobModelConformance extends DrawnJobConformance {
  /** Sequences where nothing else is said = 100, since a database answers one command at a time. */
  public static final int SEQUENCES = 100;

  /** Of every job store. */
  protected JobModelConformance() {
    super(new JobContract());
  }

  @Test
  @Rule("model")
  void commands_drawn_from_seeds_are_answered_as_the_model_answers_them() {
    trial().holds(SEQUENCES, AT_ONCE);
  }
}
