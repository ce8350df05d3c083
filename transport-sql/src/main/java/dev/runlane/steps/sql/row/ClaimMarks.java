package dev.runlane.steps.sql.row;

import dev.runlane.steps.task.ClaimStepTasks;
import dev.runlane.steps.task.ClaimedStepTask;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * How far this process's claims got in each group, so that under a backlog a claim does not walk over the
 * index entries of tasks that are gone already. Forgotten after a second and after a claim that was not
 * full: a task stamped by a slower clock, or one whose lease has passed, waits that long at most, and only
 * behind a backlog.
 */
public final class ClaimMarks {
  static final long BEGINNING = Long.MIN_VALUE;
  private static final long REMEMBERED_MILLIS = 1_000;

  private final Map<String, Mark> marks = new ConcurrentHashMap<>();

  /** Claims past the marks, and once more from the beginning where nothing is past them. */
  public Future<List<ClaimedStepTask>> claim(
      ClaimStepTasks command, Function<List<Long>, Future<List<ClaimedStepTask>>> claimFrom) {
    long now = command.now().toEpochMilli();
    List<Long> from = of(command.groups(), now);
    return claimFrom.apply(from).compose(found -> {
      boolean full = found.size() == command.limit();
      move(command.groups(), found, full, now);
      return !found.isEmpty() || from.stream().allMatch(mark -> mark == BEGINNING)
          ? Future.succeededFuture(found)
          : claimFrom.apply(of(command.groups(), now));
    });
  }

  /** Where the next claim may begin in each of these groups. */
  List<Long> of(List<String> groups, long nowMillis) {
    List<Long> from = new ArrayList<>();
    for (String group : groups) {
      Mark mark = marks.get(group);
      from.add(mark == null || mark.isOver(nowMillis) ? BEGINNING : mark.createdAtMillis());
    }
    return from;
  }

  /** Remembers how far a full claim got; one that was not full forgets. */
  void move(List<String> groups, List<ClaimedStepTask> claimed, boolean full, long nowMillis) {
    if (!full) {
      groups.forEach(marks::remove);
      return;
    }
    for (ClaimedStepTask task : claimed) {
      long createdAt = task.dispatchedAt().toEpochMilli();
      marks.compute(
          task.task().group(),
          (group, mark) -> new Mark(
              createdAt,
              mark == null || mark.isOver(nowMillis)
                  ? nowMillis + REMEMBERED_MILLIS
                  : mark.untilMillis()));
    }
  }

  private record Mark(long createdAtMillis, long untilMillis) {
    /** Also after the clock was set back. */
    boolean isOver(long nowMillis) {
      return nowMillis >= untilMillis || nowMillis < untilMillis - REMEMBERED_MILLIS;
    }
  }
}
