package dev.runlane.operator.alert;

import java.util.Objects;

/**
 * A change of an alert that a channel is to be told of.
 *
 * @param alert the alert as it is now
 * @param channel whom to tell
 * @param change what happened
 * @param tries how often it was claimed, this time included
 */
public record AlertDelivery(Alert alert, String channel, AlertChange change, int tries) {
  /** Refuses null. */
  public AlertDelivery {
    Objects.requireNonNull(alert);
    Objects.requireNonNull(channel);
    Objects.requireNonNull(change);
  }
}
