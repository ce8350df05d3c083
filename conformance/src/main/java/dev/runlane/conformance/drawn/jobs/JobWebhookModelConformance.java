package dev.runlane.conformance.drawn.jobs;

import dev.runlane.conformance.kit.Rule;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** As {@link JobModelConformance}, of what webhooks are told: half of the commands are about them. */
@DisplayName("what a model of webhooks says")
public abstract class JobWebhookModelConformance extends DrawnJobConformance {
  /** Sequences where nothing else is said = 20, since a database answers one command at a time. */
  public static final int SEQUENCES = 20;

  /** Of those job stores that keep ends for webhooks. */
  protected JobWebhookModelConformance() {
    super(JobContract.withWebhooks());
  }

  @Test
  @Rule("model")
  void ends_drawn_from_seeds_are_told_of_as_the_model_says() {
    trial().holds(SEQUENCES, AT_ONCE);
  }
}
