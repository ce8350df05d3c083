package dev.runlane.testinfra;

import org.jspecify.annotations.Nullable;

/** A server could not be found, started, stopped or asked; the message says what to do about it. */
public final class ServerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ServerException(String message) {
    this(message, null);
  }

  public ServerException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
