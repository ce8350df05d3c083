package dev.runlane.testinfra.process;

import java.time.Duration;
import java.util.List;

/** In a session of its own, a Ctrl-C meant for this process does not stop a server before it. */
public final class OwnSession {
  private static final Duration TRIAL_TIMEOUT = Duration.ofSeconds(10);

  private OwnSession() {}

  /** What goes in front of a server's command; empty where there is no {@code setsid}. */
  public static List<String> prefix() {
    return ProgramRun.of(List.of("setsid", "true"), TRIAL_TIMEOUT).succeeded()
        ? List.of("setsid")
        : List.of();
  }
}
