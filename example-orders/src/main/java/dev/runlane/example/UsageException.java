package dev.runlane.example;

/** The program was started in a way it does not know; the message says which it does. */
final class UsageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UsageException(String message) {
    super(message);
  }
}
