package dev.runlane.operator.document;

import dev.runlane.run.Actor;
import dev.runlane.run.Environment;
import dev.runlane.run.Json;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes a document or changes it.
 *
 * @param environment scope
 * @param kind what it is
 * @param name which of its kind
 * @param expectedVersion the version that is changed; 0: there must be none; null: whatever there is
 * @param content what it says from now on, at most {@link #MOST_BYTES} of UTF-8
 * @param actor who changes it
 * @param now the caller's time
 */
public record PutDocument(
    Environment environment,
    String kind,
    String name,
    @Nullable Long expectedVersion,
    Json content,
    Actor actor,
    Instant now) {
  /** Most bytes of a document = 64 KiB. */
  public static final int MOST_BYTES = 64 << 10;

  /** Refuses null and cuts instants to microseconds. */
  public PutDocument {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(kind);
    Objects.requireNonNull(name);
    Objects.requireNonNull(content);
    Objects.requireNonNull(actor);
    now = now.truncatedTo(ChronoUnit.MICROS);
  }
}
