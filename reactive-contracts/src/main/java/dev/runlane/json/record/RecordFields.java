package dev.runlane.json.record;

import dev.runlane.json.JsonWriter;
import dev.runlane.run.Actor;
import dev.runlane.run.Awaiting;
import dev.runlane.run.DeliveryIntent;
import dev.runlane.run.Environment;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.FailureRecord;
import dev.runlane.run.IdempotencyTtl;
import dev.runlane.run.Lease;
import dev.runlane.run.RunKeys;
import dev.runlane.run.RunSource;
import dev.runlane.run.StepDispatch;
import dev.runlane.timing.Durations;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields that several JSON forms share, each written and read in one place. Of a name that a later release has
 * stored, the plainest is read instead: one record that says something new must not take all others with it.
 */
final class RecordFields {
  private static final String ACTIVE_TTL = "active";

  private RecordFields() {}

  static void actor(JsonWriter writer, Actor actor) {
    writer.object("actor", fields -> {
      fields.text("type", actor.type().value());
      fields.text("id", actor.id());
    });
  }

  static Actor actor(JsonObjectText actor) {
    String type = actor.text("type");
    return Arrays.stream(Actor.Type.values())
        .filter(each -> each.value().equals(type))
        .findFirst()
        .map(found -> new Actor(found, actor.textOrNull("id")))
        .orElseGet(() -> new Actor(Actor.Type.SYSTEM, actor.textOrNull("id")));
  }

  static void failure(JsonWriter writer, FailureRecord failure) {
    writer.text("code", failure.code().value());
    writer.text("message", failure.message());
    writer.flag("retryable", failure.retryable());
    writer.json("meta", failure.meta());
  }

  static void failureOrNull(JsonWriter writer, @Nullable FailureRecord failure) {
    if (failure != null) {
      writer.object("failure", fields -> failure(fields, failure));
    }
  }

  static @Nullable FailureRecord failureOrNull(@Nullable JsonObjectText failure) {
    return failure == null ? null : failure(failure);
  }

  static FailureRecord failure(JsonObjectText failure) {
    return new FailureRecord(
        ErrorCode.ofValue(failure.text("code")).orElse(ErrorCode.INTERNAL_ERROR),
        failure.text("message"),
        failure.flag("retryable"),
        failure.jsonOrNull("meta"));
  }

  /** None where the field is missing, as in histories of releases that know no tags. */
  static Map<String, String> tags(JsonObjectText object) {
    Map<String, String> tags = object.textsOrNull("tags");
    return tags == null ? Map.of() : tags;
  }

  static void keys(JsonWriter writer, RunKeys keys) {
    writer.text("concurrencyKey", keys.concurrencyKey());
    writer.text("idempotencyKey", keys.idempotencyKey());
    IdempotencyTtl ttl = keys.idempotencyTtl();
    if (ttl != null) {
      writer.text(
          "idempotencyKeyTTL",
          ttl.retention() == null ? ACTIVE_TTL : Durations.format(ttl.retention()));
    }
    writer.text("singletonKey", keys.singletonKey());
  }

  static RunKeys keys(JsonObjectText object) {
    return new RunKeys(
        object.textOrNull("concurrencyKey"),
        object.textOrNull("idempotencyKey"),
        idempotencyTtl(object),
        object.textOrNull("singletonKey"));
  }

  private static @Nullable IdempotencyTtl idempotencyTtl(JsonObjectText object) {
    if (ACTIVE_TTL.equals(object.textOrNull("idempotencyKeyTTL"))) {
      return IdempotencyTtl.ACTIVE;
    }
    Duration retention = object.durationOrNull("idempotencyKeyTTL");
    return retention == null ? null : IdempotencyTtl.of(retention);
  }

  static void source(JsonWriter writer, RunSource source) {
    writer.object("source", fields -> {
      fields.text("type", source.type().value());
      fields.text("sourceRunId", source.sourceRunId());
      fields.text("scheduleId", source.scheduleId());
      fields.text("occurrenceId", source.occurrenceId());
      fields.instant("fireAt", source.fireAt());
    });
  }

  static RunSource source(JsonObjectText source) {
    String type = source.text("type");
    return Arrays.stream(RunSource.Type.values())
        .filter(each -> each.value().equals(type))
        .findFirst()
        .map(found -> new RunSource(
            found,
            source.textOrNull("sourceRunId"),
            source.textOrNull("scheduleId"),
            source.textOrNull("occurrenceId"),
            source.instantOrNull("fireAt")))
        .orElse(RunSource.TRIGGER);
  }

  static void lease(JsonWriter writer, @Nullable Lease lease) {
    if (lease != null) {
      writer.object("lease", fields -> {
        fields.text("token", lease.token());
        fields.text("workerId", lease.workerId());
        fields.instant("expiresAt", lease.expiresAt());
      });
    }
  }

  static Lease lease(JsonObjectText lease) {
    return new Lease(lease.text("token"), lease.text("workerId"), lease.instant("expiresAt"));
  }

  static void awaiting(JsonWriter writer, @Nullable Awaiting awaiting) {
    writer.text("awaiting", awaiting == null ? null : awaiting.value());
  }

  static @Nullable Awaiting awaitingOrNull(JsonObjectText object) {
    String value = object.textOrNull("awaiting");
    return value == null ? null : Awaiting.ofValue(value).orElse(null);
  }

  static void dispatch(JsonWriter writer, @Nullable StepDispatch dispatch) {
    if (dispatch != null) {
      writer.object("dispatch", fields -> {
        fields.instant("deadlineAt", dispatch.deadlineAt());
        fields.number("maxAttempts", dispatch.maxAttempts());
        fields.text("firstPause", Durations.format(dispatch.firstPause()));
        fields.text("longestPause", Durations.format(dispatch.longestPause()));
        fields.number("jitterPercent", dispatch.jitterPercent());
      });
    }
  }

  static @Nullable StepDispatch dispatchOrNull(@Nullable JsonObjectText dispatch) {
    return dispatch == null
        ? null
        : new StepDispatch(
            dispatch.instant("deadlineAt"),
            dispatch.count("maxAttempts"),
            dispatch.duration("firstPause"),
            dispatch.duration("longestPause"),
            dispatch.count("jitterPercent"));
  }

  static void delivery(JsonWriter writer, DeliveryIntent delivery) {
    writer.object("delivery", fields -> {
      fields.object(
          "environment", inner -> inner.text("name", delivery.environment().name()));
      fields.text("runId", delivery.runId());
      fields.text("queue", delivery.queue());
      fields.instant("requestedAt", delivery.requestedAt());
      fields.instant("availableAt", delivery.availableAt());
      fields.instant("dispatchExpiresAt", delivery.dispatchExpiresAt());
      fields.texts("traceCarrier", delivery.traceCarrier());
    });
  }

  static DeliveryIntent delivery(JsonObjectText delivery) {
    return new DeliveryIntent(
        environment(delivery.object("environment")),
        delivery.text("runId"),
        delivery.text("queue"),
        delivery.instant("requestedAt"),
        delivery.instant("availableAt"),
        delivery.instantOrNull("dispatchExpiresAt"),
        delivery.textsOrNull("traceCarrier"));
  }

  static Environment environment(JsonObjectText environment) {
    return new Environment(environment.text("name"));
  }
}
