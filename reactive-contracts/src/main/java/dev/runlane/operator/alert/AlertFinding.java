package dev.runlane.operator.alert;

import java.util.Objects;

/**
 * What a rule found.
 *
 * @param alertId the id of the alert that it opens, new; one that is open already keeps its own, and an id that another
 *     alert has opens none
 * @param subject what it is about, in at most {@value #MOST_SUBJECT_BYTES} bytes of UTF-8
 * @param text for people
 */
public record AlertFinding(String alertId, String subject, String text) {
  /** Most bytes of UTF-8 in a subject = {@value}: storages find open alerts by it. */
  public static final int MOST_SUBJECT_BYTES = 2_048;

  /** Refuses null. */
  public AlertFinding {
    Objects.requireNonNull(alertId);
    Objects.requireNonNull(subject);
    Objects.requireNonNull(text);
  }
}
