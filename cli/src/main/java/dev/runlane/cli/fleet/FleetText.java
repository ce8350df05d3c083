package dev.runlane.cli.fleet;

import dev.runlane.run.Actor;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Small answers in words. */
final class FleetText {
  private FleetText() {}

  /** Who, by name where there is one. */
  static String actor(Actor actor) {
    return actor.id() == null ? actor.type().value() : actor.id();
  }

  /** An instant as in JSON, or null. */
  static @Nullable String text(@Nullable Instant at) {
    return at == null ? null : at.toString();
  }
}
