package dev.runlane.operator.action;

import dev.runlane.run.Actor;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an operator did or was about to do.
 *
 * @param id the action
 * @param actor who
 * @param action what, such as {@code queue.pause}
 * @param target to what; null: to the environment
 * @param reason why, or null
 * @param at when it was recorded
 * @param succeeded whether it was done; null until it has ended, and for ever where its process was lost on the way
 * @param result what came of it, or null
 * @param endedAt when it ended, or null
 */
public record OperatorAction(
    String id,
    Actor actor,
    String action,
    @Nullable String target,
    @Nullable String reason,
    Instant at,
    @Nullable Boolean succeeded,
    @Nullable String result,
    @Nullable Instant endedAt) {
  /** Refuses null and cuts instants to microseconds. */
  public OperatorAction {
    Objects.requireNonNull(id);
    Objects.requireNonNull(actor);
    Objects.requireNonNull(action);
    at = at.truncatedTo(ChronoUnit.MICROS);
    endedAt = endedAt == null ? null : endedAt.truncatedTo(ChronoUnit.MICROS);
  }
}
