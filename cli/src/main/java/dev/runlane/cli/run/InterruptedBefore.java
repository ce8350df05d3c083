package dev.runlane.cli.run;

/** Ctrl-C came before anything was started. */
public final class InterruptedBefore extends RuntimeException {
  private static final long serialVersionUID = 1;

  public InterruptedBefore() {
    super("interrupted before anything was started");
  }
}
