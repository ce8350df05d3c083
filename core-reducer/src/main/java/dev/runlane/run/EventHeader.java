package dev.runlane.run;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What every event of a run says.
 *
 * @param environment the scope of the run
 * @param runId the run
 * @param actor who caused the event
 * @param occurredAt when; writers take the later of their clock and the record's {@code updatedAt}
 * @param traceCarrier the trace of the operation that wrote the event, or null
 * @param meta a JSON object with details of this event alone, or null
 */
public record EventHeader(
    Environment environment,
    String runId,
    Actor actor,
    Instant occurredAt,
    @Nullable Map<String, String> traceCarrier,
    @Nullable Json meta) {
  /** Refuses null, cuts the instant to microseconds and copies the trace carrier. */
  public EventHeader {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(runId);
    Objects.requireNonNull(actor);
    occurredAt = occurredAt.truncatedTo(ChronoUnit.MICROS);
    traceCarrier = traceCarrier == null ? null : Map.copyOf(traceCarrier);
  }

  /** A header of the system actor without trace and meta. */
  public static EventHeader bySystem(Environment environment, String runId, Instant occurredAt) {
    return new EventHeader(
        environment, runId, ContractDefaults.SYSTEM_ACTOR, occurredAt, null, null);
  }

  /** The same header by another actor. */
  public EventHeader by(Actor other) {
    return new EventHeader(environment, runId, other, occurredAt, traceCarrier, meta);
  }

  /** The same header with another trace carrier. */
  public EventHeader withTrace(@Nullable Map<String, String> carrier) {
    return new EventHeader(environment, runId, actor, occurredAt, carrier, meta);
  }

  /** The same header with another meta object. */
  public EventHeader withMeta(@Nullable Json object) {
    return new EventHeader(environment, runId, actor, occurredAt, traceCarrier, object);
  }
}
