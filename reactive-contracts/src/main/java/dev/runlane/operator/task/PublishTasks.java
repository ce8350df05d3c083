package dev.runlane.operator.task;

import dev.runlane.run.Environment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;

/**
 * Says which tasks a process has.
 *
 * @param environment scope
 * @param processId the process
 * @param startedAt when it began
 * @param tasks tasks of it, each once, at most {@link #MOST_TASKS}; those that are not named stay as they are
 * @param now the caller's time
 */
public record PublishTasks(
    Environment environment,
    String processId,
    Instant startedAt,
    List<RuntimeTask> tasks,
    Instant now) {
  /** Most tasks of one command = 100. */
  public static final int MOST_TASKS = 100;

  /** Copies the list, refuses null and cuts instants to microseconds. */
  public PublishTasks {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(processId);
    startedAt = startedAt.truncatedTo(ChronoUnit.MICROS);
    tasks = List.copyOf(tasks);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
