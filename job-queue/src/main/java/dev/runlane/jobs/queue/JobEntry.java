package dev.runlane.jobs.queue;

import dev.runlane.jobs.JobOptions;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A job to be added.
 *
 * @param name names the handler or category
 * @param data the payload
 * @param options its options
 */
public record JobEntry(String name, @Nullable Object data, JobOptions options) {
  /** Refuses null, except as payload. */
  public JobEntry {
    Objects.requireNonNull(name);
    Objects.requireNonNull(options);
  }

  /** Without options. */
  public static JobEntry of(String name, @Nullable Object data) {
    return new JobEntry(name, data, JobOptions.NONE);
  }
}
