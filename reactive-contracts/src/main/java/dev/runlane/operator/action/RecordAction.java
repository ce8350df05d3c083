package dev.runlane.operator.action;

import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Records what is about to be done.
 *
 * @param environment scope
 * @param id the action, new
 * @param actor who does it
 * @param action what, such as {@code queue.pause}
 * @param target to what, such as a queue's name; null: to the environment
 * @param reason why, or null
 * @param now the caller's time
 */
public record RecordAction(
    Environment environment,
    String id,
    Actor actor,
    String action,
    @Nullable String target,
    @Nullable String reason,
    Instant now) {
  /** Refuses null and cuts instants to microseconds. */
  public RecordAction {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(id);
    Objects.requireNonNull(actor);
    Objects.requireNonNull(action);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
