package dev.runlane.testinfra;

import org.jspecify.annotations.Nullable;

/** A server could not be found, started, stopped or asked; the message says what to do about it. */
public final class PostgresServerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PostgresServerException(String message) {
    this(message, null);
  }

  PostgresServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
