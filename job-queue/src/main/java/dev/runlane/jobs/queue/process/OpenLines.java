package dev.runlane.jobs.queue.process;

import dev.runlane.jobs.JobLock;
import dev.runlane.jobs.queue.host.Deadline;
import dev.runlane.timing.Timers;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Lines of log that handlers have sent and that the store has not answered. Whoever hears that a job has ended finds
 * all its lines, since its end is stored behind them. Any thread may send one.
 */
public final class OpenLines {
  private final Map<JobLock, Set<Future<?>>> open = new ConcurrentHashMap<>();

  OpenLines() {}

  /** A line of this hand-out, on its way until its future is complete, which is answered. */
  public <T> Future<T> sent(JobLock handOut, Future<T> line) {
    if (!line.isComplete()) {
      open.compute(handOut, (lock, lines) -> {
        Set<Future<?>> all = lines == null ? new HashSet<>() : lines;
        all.add(line);
        return all;
      });
      line.onComplete(
          answered -> open.computeIfPresent(handOut, (lock, lines) -> without(lines, line)));
    }
    return line;
  }

  private static @Nullable Set<Future<?>> without(Set<Future<?>> lines, Future<?> line) {
    lines.remove(line);
    return lines.isEmpty() ? null : lines;
  }

  /**
   * Completes, on any context, when the lines of this hand-out that were sent are answered, however, or {@code most} is
   * over; never fails. Complete at once where none is on its way.
   */
  public Future<Void> answered(JobLock handOut, Timers timers, Duration most) {
    List<Future<?>> lines = new ArrayList<>();
    open.computeIfPresent(handOut, (lock, sent) -> {
      lines.addAll(sent);
      return sent;
    });
    return lines.isEmpty()
        ? Future.succeededFuture()
        : Deadline.on(timers, Future.join(lines), most, "lines of log")
            .transform(done -> Future.succeededFuture());
  }
}
