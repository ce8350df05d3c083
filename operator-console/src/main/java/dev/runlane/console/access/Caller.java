package dev.runlane.console.access;

import java.util.Objects;

/**
 * Who asks.
 *
 * @param name the name under which actions are recorded
 * @param role what they may do
 */
public record Caller(String name, Role role) {
  /** Whoever reaches a console of the loopback address that was given no tokens. */
  public static final Caller LOCAL = new Caller("local", Role.ADMIN);

  /** Refuses null. */
  public Caller {
    Objects.requireNonNull(name);
    Objects.requireNonNull(role);
  }
}
