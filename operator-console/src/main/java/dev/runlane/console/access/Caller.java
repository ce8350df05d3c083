package dev.runlane.console.access;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who asks.
 *
 * @param name the name under which actions are recorded
 * @param role what they may do
 * @param until from when on they may ask no more; null: never
 */
public record Caller(String name, Role role, @Nullable Instant until) {
  /** Whoever reaches a console of the loopback address that was given no tokens. */
  public static final Caller LOCAL = new Caller("local", Role.ADMIN, null);

  /** Refuses null. */
  public Caller {
    Objects.requireNonNull(name);
    Objects.requireNonNull(role);
  }

  /** Whether they may still ask. */
  public boolean isAllowedAt(Instant now) {
    return until == null || now.isBefore(until);
  }
}
