package dev.runlane.connector.store.run;

import dev.runlane.connector.store.key.ControllerProcess;
import dev.runlane.connector.store.key.RunFence;
import dev.runlane.connector.store.key.RunIdentity;
import dev.runlane.connector.store.key.RunTrigger;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A run that was accepted and has not ended.
 *
 * @param run which run
 * @param trigger why it exists
 * @param grantId the grant it collects under, or null for none
 * @param generation its fence's
 * @param controller the process it lives in
 * @param startedAt when it was accepted
 * @param cancelRequestedAt when the owner first asked to cancel it, or null
 * @param pendingInteraction the interaction that waits for an answer, as the timeline has it, or null
 */
public record ActiveRun(
    RunIdentity run,
    RunTrigger trigger,
    @Nullable String grantId,
    long generation,
    ControllerProcess controller,
    Instant startedAt,
    @Nullable Instant cancelRequestedAt,
    @Nullable String pendingInteraction) {
  /** Refuses null where the components say nothing else. */
  public ActiveRun {
    Objects.requireNonNull(run);
    Objects.requireNonNull(trigger);
    Objects.requireNonNull(controller);
    Objects.requireNonNull(startedAt);
  }

  /** What this run writes with. */
  public RunFence fence() {
    return new RunFence(run.connector().instanceId(), run.runId(), generation);
  }
}
