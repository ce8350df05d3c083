package dev.runlane.cli;

/** Ctrl-C came before anything was started. */
final class InterruptedBefore extends RuntimeException {
  private static final long serialVersionUID = 1;

  InterruptedBefore() {
    super("interrupted before anything was started");
  }
}
