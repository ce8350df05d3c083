package dev.runlane.operator.document;

import dev.runlane.run.Actor;
import dev.runlane.run.Json;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * A document of an environment.
 *
 * @param kind what it is, such as {@code alert_rule}
 * @param name which of its kind
 * @param version 1 for a new one; grows by one with each change
 * @param content what it says
 * @param actor who changed it last
 * @param changedAt when
 */
public record OperatorDocument(
    String kind, String name, long version, Json content, Actor actor, Instant changedAt) {
  /** Refuses null and cuts instants to microseconds. */
  public OperatorDocument {
    Objects.requireNonNull(kind);
    Objects.requireNonNull(name);
    Objects.requireNonNull(content);
    Objects.requireNonNull(actor);
    changedAt = changedAt.truncatedTo(ChronoUnit.MICROS);
  }
}
