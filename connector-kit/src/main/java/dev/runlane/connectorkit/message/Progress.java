package dev.runlane.connectorkit.message;

import org.jspecify.annotations.Nullable;

/**
 * How far the run has come.
 *
 * @param stream null when it concerns no single stream
 * @param message not empty
 * @param count not negative, or null
 * @param total not negative, or null
 */
public record Progress(
    @Nullable String stream,
    String message,
    @Nullable Long count,
    @Nullable Long total) {

  /** Refuses a blank message and negative numbers. */
  public Progress {
    if (message.isBlank()) {
      throw new IllegalArgumentException("progress has a message");
    }
    if ((count != null && count < 0) || (total != null && total < 0)) {
      throw new IllegalArgumentException("count and total are not negative");
    }
  }

  /** Progress of the run as a whole. */
  public static Progress of(String message) {
    return new Progress(null, message, null, null);
  }

  /** Progress of one stream: {@code count} of {@code total}. */
  public static Progress of(String stream, String message, long count, long total) {
    return new Progress(stream, message, count, total);
  }
}
