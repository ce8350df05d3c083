package dev.runlane.cli.option;

/** What was asked for cannot be done as it was asked. Its message is shown as it is. */
public final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public UsageException(String message) {
    super(message);
  }
}
