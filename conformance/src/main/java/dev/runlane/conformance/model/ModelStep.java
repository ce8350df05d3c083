package dev.runlane.conformance.model;

import dev.runlane.run.RunEvent;
import dev.runlane.run.StepIds;
import dev.runlane.storage.step.PendingStep;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A remote step without a result, and who looks after it. */
public final class ModelStep {
  public final RunEvent.StepRequested request;
  public int attempt;
  public Instant nextAt;
  public @Nullable Instant dispatchedAt;
  public @Nullable Instant lastResultAt;
  public boolean runEnded;
  public @Nullable String token; // null unless it is claimed

  public ModelStep(RunEvent.StepRequested request) {
    this.request = request;
    this.attempt = request.attempt();
    this.nextAt = request.header().occurredAt();
  }

  public String id() {
    return request.stepId();
  }

  public int position() {
    return StepIds.position(request.header().runId(), request.stepId()).orElseThrow();
  }

  public PendingStep shown() {
    return new PendingStep(request, attempt, nextAt, dispatchedAt, lastResultAt, runEnded);
  }
}
