package dev.runlane.storage.pg;

import dev.runlane.timing.Clock;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far this process's claims got in each queue, so that under a backlog a claim does not walk over the
 * index entries of runs that are gone already. Forgotten after a second and after a short page: a run
 * stamped by a slower clock waits that long at most, and only behind a backlog.
 */
final class LowWaterMarks {
  /** Smaller claims are not worth it, and keep the exact order of due times. */
  private static final int SMALLEST_CLAIM = 32;

  private static final Duration REMEMBERED = Duration.ofSeconds(1);
  private static final Instant BEGINNING = Instant.parse("0001-01-01T00:00:00Z");
  private static final int QUEUE = 2;
  private static final int DUE_AT = 26;
  private static final int KIND = 27;

  private final Clock clock;
  private final Map<String, Mark> marks = new ConcurrentHashMap<>();

  LowWaterMarks(Clock clock) {
    this.clock = clock;
  }

  /** Where the next claim in this queue may begin. */
  Instant of(String queue) {
    Mark mark = marks.get(queue);
    return mark == null || clock.now().isAfter(mark.until()) ? BEGINNING : mark.due();
  }

  /** Remembers how far a full claim got; a short one, of size 0, forgets. */
  void move(List<String> queues, RowSet<Row> claimed, int fullClaim) {
    if (fullClaim < SMALLEST_CLAIM) {
      queues.forEach(marks::remove);
      return;
    }
    for (Row row : claimed) {
      Short kind = row.getShort(KIND);
      if (kind != null && kind == DueKind.QUEUED.number()) {
        Instant due = row.getOffsetDateTime(DUE_AT).toInstant();
        marks.compute(
            row.getString(QUEUE),
            (queue, mark) -> mark == null || clock.now().isAfter(mark.until())
                ? new Mark(due, clock.now().plus(REMEMBERED))
                : new Mark(due, mark.until()));
      }
    }
  }

  private record Mark(Instant due, Instant until) {}
}
