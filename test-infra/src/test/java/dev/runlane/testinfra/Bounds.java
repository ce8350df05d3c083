package dev.runlane.testinfra;

import java.time.Duration;

/** How long a test waits for what must happen. */
public final class Bounds {
  public static final Duration OF_A_WAIT = Duration.ofSeconds(60);

  private Bounds() {}
}
