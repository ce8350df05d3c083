package dev.runlane.postgres;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A connection that could not be made, was lost or was given up. The message names the server and says what is known,
 * the server's own words included, and never holds a password or values of rows.
 */
final class ConnectionFailure extends IOException {
  private static final long serialVersionUID = 1L;

  ConnectionFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** What a person has to know of a failure to connect. */
  static String describe(Throwable failure) {
    return Objects.requireNonNullElse(failure.getMessage(), failure.getClass().getSimpleName());
  }
}
