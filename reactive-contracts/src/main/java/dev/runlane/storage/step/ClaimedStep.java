package dev.runlane.storage.step;

import java.util.Objects;

/**
 * A pending step that its caller owns for a while.
 *
 * @param token proof of it
 * @param step the step as it was before the claim, but for {@code nextAt}, which is the claim's end
 */
public record ClaimedStep(String token, PendingStep step) {
  /** Refuses null. */
  public ClaimedStep {
    Objects.requireNonNull(token);
    Objects.requireNonNull(step);
  }
}
