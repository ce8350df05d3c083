package dev.runlane.operator.alert;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of alerts.
 *
 * @param environment scope
 * @param ruleId of this rule; null: of any
 * @param isOpen open ones or resolved ones; null: both
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before ended; null: the first page
 */
public record ListAlerts(
    Environment environment,
    @Nullable String ruleId,
    @Nullable Boolean isOpen,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListAlerts {
    Objects.requireNonNull(environment);
  }
}
