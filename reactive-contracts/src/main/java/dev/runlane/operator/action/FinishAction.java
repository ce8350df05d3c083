package dev.runlane.operator.action;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records how an action ended.
 *
 * @param environment scope
 * @param id the action
 * @param succeeded whether it was done
 * @param result what came of it: a count, or the failure's text; or null
 * @param now the caller's time
 */
public record FinishAction(
    Environment environment,
    String id,
    boolean succeeded,
    @Nullable String result,
    Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public FinishAction {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(id);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
