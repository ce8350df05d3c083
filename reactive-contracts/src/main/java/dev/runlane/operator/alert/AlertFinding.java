package dev.runlane.operator.alert;

import java.util.Objects;

/**
 * What a rule found.
 *
 * @param alertId the id of the alert that it opens, new; one that is open already keeps its own, and an id that another
 *     alert has opens none
 * @param subject what it is about
 * @param text for people
 */
public record AlertFinding(String alertId, String subject, String text) {
  /** Refuses null. */
  public AlertFinding {
    Objects.requireNonNull(alertId);
    Objects.requireNonNull(subject);
    Objects.requireNonNull(text);
  }
}
