package dev.runlane.operator.action;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Which actions a list holds; everything given must hold.
 *
 * @param actor done by the actor of exactly this id; null: by any
 * @param action exactly this, such as {@code queue.pause}; null: any
 * @param target done to exactly this; null: to any, or to the environment
 * @param from recorded then or later; null: at any time
 * @param until recorded before; null: at any time
 */
public record ActionFilter(
    @Nullable String actor,
    @Nullable String action,
    @Nullable String target,
    @Nullable Instant from,
    @Nullable Instant until) {
  /** Every action. */
  public static final ActionFilter ALL = new ActionFilter(null, null, null, null, null);

  /** Cuts instants to microseconds. */
  public ActionFilter {
    from = from == null ? null : from.truncatedTo(ChronoUnit.MICROS);
    until = until == null ? null : until.truncatedTo(ChronoUnit.MICROS);
  }

  /** Whether a list of this filter holds the action. */
  public boolean admits(OperatorAction recorded) {
    return (actor == null || actor.equals(recorded.actor().id()))
        && (action == null || action.equals(recorded.action()))
        && (target == null || target.equals(recorded.target()))
        && (from == null || !recorded.at().isBefore(from))
        && (until == null || recorded.at().isBefore(until));
  }

  /** This filter for what another actor did. */
  public ActionFilter withActor(@Nullable String other) {
    return new ActionFilter(other, action, target, from, until);
  }

  /** This filter for another action. */
  public ActionFilter withAction(@Nullable String other) {
    return new ActionFilter(actor, other, target, from, until);
  }

  /** This filter for what was done to something else. */
  public ActionFilter withTarget(@Nullable String other) {
    return new ActionFilter(actor, action, other, from, until);
  }

  /** This filter for another range of time, {@code since} included, {@code before} not. */
  public ActionFilter withRecorded(@Nullable Instant since, @Nullable Instant before) {
    return new ActionFilter(actor, action, target, since, before);
  }
}
