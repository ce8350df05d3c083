package dev.runlane.operator.alert;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Says all that a rule finds now.
 *
 * @param environment scope
 * @param ruleId the rule
 * @param findings each subject once; open alerts of the rule about any other subject are resolved
 * @param channels who is to be told of what is open; empty: nobody
 * @param now the caller's time
 */
public record ObserveAlerts(
    Environment environment,
    String ruleId,
    List<AlertFinding> findings,
    List<String> channels,
    Instant now) {
  /** Copies the lists, refuses null and cuts instants to microseconds. */
  public ObserveAlerts {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(ruleId);
    findings = List.copyOf(findings);
    channels = List.copyOf(channels);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
