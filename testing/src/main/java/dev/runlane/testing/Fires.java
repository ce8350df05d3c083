package dev.runlane.testing;

import dev.runlane.run.RunRecord;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;

/**
 * What schedules have made since an instant, by fires or by what the handlers of those triggered: where that lasts
 * longer than a schedule's interval, there is always some of it.
 */
final class Fires {
  private final Function<String, Optional<RunRecord>> runs;
  private final HandlerTurns turns;
  private Instant since = Instant.MIN;

  Fires(Function<String, Optional<RunRecord>> runs, HandlerTurns turns) {
    this.runs = runs;
    this.turns = turns;
  }

  void countFrom(Instant instant) {
    since = instant;
  }

  /** Whether a fire after the instant has made this run. */
  boolean isOfLaterOne(String runId) {
    return runs.apply(runId)
        .map(HandlerTurns.Owner::of)
        .filter(this::isOfLaterOne)
        .isPresent();
  }

  /** Whether a fire after the instant has made this run or job. */
  boolean isOfLaterOne(HandlerTurns.Owner owner) {
    return owner.createdAt().isAfter(since)
        && (owner.isRepeated()
            || turns.triggeredBy(owner.id()).filter(this::isOfLaterOne).isPresent());
  }
}
