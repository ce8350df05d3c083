package dev.runlane.cli;

/** What was asked for cannot be done as it was asked. Its message is shown as it is. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  UsageException(String message) {
    super(message);
  }
}
