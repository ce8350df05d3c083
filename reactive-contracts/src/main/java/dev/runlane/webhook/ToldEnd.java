package dev.runlane.webhook;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What became of an end that was to be told of.
 *
 * @param end as it is kept
 * @param retryAt to be told of again then; null: it was told, or is given up
 */
public record ToldEnd<D>(D end, @Nullable Instant retryAt) {
  /** Refuses null for the end. */
  public ToldEnd {
    Objects.requireNonNull(end);
  }
}
