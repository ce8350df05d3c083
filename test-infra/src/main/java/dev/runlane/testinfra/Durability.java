package dev.runlane.testinfra;

/** What committed data survives on an embedded server. */
public enum Durability {
  /** Also the machine losing power: commits are synced to disk ({@code fsync=on}). */
  POWER_LOSS("on"),

  /**
   * Any death of the server's processes, but not of the machine: commits reach the operating system
   * and are not synced ({@code fsync=off}). Faster, for tests.
   */
  PROCESS_LOSS("off");

  private final String fsync;

  Durability(String fsync) {
    this.fsync = fsync;
  }

  public String fsync() {
    return fsync;
  }
}
