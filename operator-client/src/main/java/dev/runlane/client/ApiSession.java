package dev.runlane.client;

import java.util.List;

/**
 * Who asks, and what there is.
 *
 * @param actor the name under which actions are recorded
 * @param role {@code viewer}, {@code operator} or {@code admin}
 * @param environment the environment of all that is asked for
 * @param lane the name of the lane
 * @param serves what can be asked for beside runs, such as {@code jobs}
 */
public record ApiSession(
    String actor, String role, String environment, String lane, List<String> serves) {
  /** Copies the list. */
  public ApiSession {
    serves = List.copyOf(serves);
  }
}
