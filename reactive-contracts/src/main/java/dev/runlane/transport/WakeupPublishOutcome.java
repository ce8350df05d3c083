package dev.runlane.transport;

import dev.runlane.run.FailureRecord;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What became of one attempt of a {@link PublishWakeups}. */
public sealed interface WakeupPublishOutcome {
  /** Whether the provider accepted the wakeup. */
  default boolean isPublished() {
    return this instanceof Published;
  }

  /**
   * The provider accepted the wakeup.
   *
   * @param providerMessageId the provider's name for it, or null
   */
  record Published(@Nullable String providerMessageId) implements WakeupPublishOutcome {}

  /**
   * The provider refused the wakeup.
   *
   * @param failure why; the provider's own codes are in its meta
   */
  record Failed(FailureRecord failure) implements WakeupPublishOutcome {
    /** Refuses null. */
    public Failed {
      Objects.requireNonNull(failure);
    }
  }
}
