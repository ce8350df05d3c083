package dev.runlane.connector.store.grant;

import dev.runlane.connector.store.record.SinkFailure;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an owner allows a connection to collect for somebody.
 *
 * @param grantId the grant
 * @param instanceId the connection it is for
 * @param accessMode how often it may be used
 * @param state whether it may be used
 * @param expiresAt from when on it may not, or null for never
 */
public record Grant(
    String grantId,
    String instanceId,
    GrantAccessMode accessMode,
    GrantState state,
    @Nullable Instant expiresAt) {
  /** Refuses null but for the expiry. */
  public Grant {
    Objects.requireNonNull(grantId);
    Objects.requireNonNull(instanceId);
    Objects.requireNonNull(accessMode);
    Objects.requireNonNull(state);
  }

  /** The code that this grant is refused with, for this connection and at this time, or empty when it can be used. */
  public Optional<String> refusal(String forInstance, Instant now) {
    if (!instanceId.equals(forInstance)) {
      return Optional.of(SinkFailure.GRANT_INVALID);
    }
    if (state == GrantState.REVOKED) {
      return Optional.of(SinkFailure.GRANT_REVOKED);
    }
    if (state == GrantState.CONSUMED) {
      return Optional.of(SinkFailure.GRANT_CONSUMED);
    }
    return expiresAt != null && !now.isBefore(expiresAt)
        ? Optional.of(SinkFailure.GRANT_EXPIRED)
        : Optional.empty();
  }
}
