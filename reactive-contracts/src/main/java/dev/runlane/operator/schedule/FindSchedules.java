package dev.runlane.operator.schedule;

import dev.runlane.run.Environment;
import java.util.List;
import java.util.Objects;

/**
 * Asks for schedules by their names.
 *
 * @param environment scope
 * @param names which
 */
public record FindSchedules(Environment environment, List<ScheduleName> names) {
  /** Copies the list and refuses null. */
  public FindSchedules {
    Objects.requireNonNull(environment);
    names = List.copyOf(names);
  }
}
