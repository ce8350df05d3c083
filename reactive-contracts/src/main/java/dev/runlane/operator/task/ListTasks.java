package dev.runlane.operator.task;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of tasks.
 *
 * @param environment scope
 * @param taskId only this one; null: all
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before ended; null: the first page
 */
public record ListTasks(
    Environment environment,
    @Nullable String taskId,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListTasks {
    Objects.requireNonNull(environment);
  }
}
