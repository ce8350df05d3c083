package dev.runlane.storage.pg.write;

import dev.runlane.run.RunRecord;
import dev.runlane.storage.pg.row.DueKind;
import dev.runlane.storage.run.ClaimedRuns;
import dev.runlane.timing.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far this process's claims got in each line of a queue and a task, so that under a backlog a claim does
 * not walk over the index entries of runs that are gone already. Forgotten after a second and after a short page: a run
 * stamped by a slower clock, or held by a competitor that let it go, waits that long at most, and only behind a
 * backlog.
 */
final class LowWaterMarks {
  /** Smaller claims are not worth it, and keep the exact order of due times. */
  private static final int SMALLEST_CLAIM = 32;

  private static final Duration REMEMBERED = Duration.ofSeconds(1);

  /** Before every run. */
  static final Instant BEGINNING = Instant.parse("0001-01-01T00:00:00Z");

  private final Clock clock;
  private final Map<Claims.Line, Mark> marks = new ConcurrentHashMap<>();

  LowWaterMarks(Clock clock) {
    this.clock = clock;
  }

  /** Where the next claim in this line may begin. */
  Instant of(Claims.Line line) {
    Mark mark = marks.get(line);
    return mark == null || clock.now().isAfter(mark.until()) ? BEGINNING : mark.due();
  }

  /** Remembers how far a full claim got in each line; a short one forgets. */
  void move(List<Claims.Line> lines, List<ClaimedRuns.Claimed> claimed, boolean isFull) {
    if (!isFull || claimed.size() < SMALLEST_CLAIM) {
      lines.forEach(marks::remove);
      return;
    }
    Set<Claims.Line> moving = new HashSet<>(lines);
    for (ClaimedRuns.Claimed each : claimed) {
      RunRecord run = each.before();
      Claims.Line line = new Claims.Line(run.queue(), run.taskId());
      if (DueKind.of(run) == DueKind.QUEUED && moving.contains(line)) {
        moveTo(line, DueKind.dueAt(run));
      }
    }
  }

  private void moveTo(Claims.Line line, Instant due) {
    marks.compute(
        line,
        (key, mark) -> mark == null || clock.now().isAfter(mark.until())
            ? new Mark(due, clock.now().plus(REMEMBERED))
            : new Mark(due, mark.until()));
  }

  private record Mark(Instant due, Instant until) {}
}
