package dev.runlane.connector.protocol.manifest;

import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How often its author thinks that a connector should run, and what that asks of the owner. Every member
 * but the first two is null when the manifest does not say.
 *
 * @param recommendedMode whether it may run by itself
 * @param rationale why
 * @param recommendedInterval between two runs, at least {@code minimumInterval}
 * @param minimumInterval between two runs
 * @param maximumStaleness after which the data counts as old
 * @param sessionLifetime how long a session at the source lasts
 * @param interactionPosture none, credentials, otp_likely or manual_action_likely
 * @param rateLimitSensitivity low, medium or high
 * @param botDetectionSensitivity low, medium or high
 * @param backgroundSafe whether it can run with nobody there
 * @param assistedAfterOwnerAuth whether it can continue alone once the owner has let it in
 * @param maxCooldownCycles from 1 to 24
 * @param maxRecoveryAttempts from 1 to 20
 */
public record RefreshPolicy(
    Mode recommendedMode,
    String rationale,
    @Nullable Duration recommendedInterval,
    @Nullable Duration minimumInterval,
    @Nullable Duration maximumStaleness,
    @Nullable Duration sessionLifetime,
    @Nullable String interactionPosture,
    @Nullable String rateLimitSensitivity,
    @Nullable String botDetectionSensitivity,
    @Nullable Boolean backgroundSafe,
    @Nullable Boolean assistedAfterOwnerAuth,
    @Nullable Integer maxCooldownCycles,
    @Nullable Integer maxRecoveryAttempts) {

  /** Whether a connector may run by itself. The string values never change. */
  public enum Mode {
    /** On a schedule. */
    AUTOMATIC("automatic"),
    /** When the owner asks. */
    MANUAL("manual"),
    /** Not now. */
    PAUSED("paused");

    private final String value;

    Mode(String value) {
      this.value = value;
    }

    /** The string that is sent and stored. */
    public String value() {
      return value;
    }

    /** The mode with this string value, or empty when there is none. */
    public static Optional<Mode> ofValue(String value) {
      return Arrays.stream(values()).filter(mode -> mode.value.equals(value)).findFirst();
    }
  }

  /** Whether a schedule may start runs by itself. */
  public boolean allowsAutomaticRuns() {
    return switch (recommendedMode) {
      case PAUSED -> false;
      case MANUAL -> Boolean.TRUE.equals(backgroundSafe);
      case AUTOMATIC -> !Boolean.FALSE.equals(backgroundSafe);
    };
  }
}
