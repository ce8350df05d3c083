package dev.runlane.connector.store.timeline;

import dev.runlane.run.Json;
import dev.runlane.timing.Ids;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One fact of a run's timeline, before it is stored. Never holds what an owner answered.
 *
 * @param eventId {@code evt_…}, unique; the same event stored twice stays one
 * @param type what happened
 * @param status the word the type goes with, such as {@code in_progress}
 * @param occurredAt when it happened
 * @param actor who did it
 * @param streamId the stream it is about, or null
 * @param interactionId the interaction it is about, or null
 * @param grantId the grant it happened under, or null
 * @param requestId the request that caused it, or null
 * @param data a JSON object, without {@code connection_id} and {@code connector_instance_id}, which are added when the
 *     event is shown
 */
public record TimelineEvent(
    String eventId,
    TimelineEventType type,
    String status,
    Instant occurredAt,
    TimelineActor actor,
    @Nullable String streamId,
    @Nullable String interactionId,
    @Nullable String grantId,
    @Nullable String requestId,
    Json data) {
  private static final int TOKEN_PREFIX = "tok_".length();

  /** Refuses null where the components say nothing else. */
  public TimelineEvent {
    Objects.requireNonNull(eventId);
    Objects.requireNonNull(type);
    Objects.requireNonNull(status);
    Objects.requireNonNull(occurredAt);
    Objects.requireNonNull(actor);
    Objects.requireNonNull(data);
  }

  /** An event of the runtime that is about the run as a whole. */
  public static TimelineEvent of(
      Ids ids, TimelineEventType type, String status, Instant occurredAt, Json data) {
    return new TimelineEvent(
        newId(ids), type, status, occurredAt, TimelineActor.RUNTIME, null, null, null, null, data);
  }

  /** A new event id: {@code evt_} and 26 time-ordered characters. */
  public static String newId(Ids ids) {
    return "evt_" + ids.token().substring(TOKEN_PREFIX);
  }

  /** The same about a stream. */
  public TimelineEvent onStream(@Nullable String stream) {
    return new TimelineEvent(
        eventId, type, status, occurredAt, actor, stream, interactionId, grantId, requestId, data);
  }

  /** The same about an interaction. */
  public TimelineEvent onInteraction(String interaction) {
    return new TimelineEvent(
        eventId, type, status, occurredAt, actor, streamId, interaction, grantId, requestId, data);
  }

  /** The same under a grant. */
  public TimelineEvent underGrant(@Nullable String grant) {
    return new TimelineEvent(
        eventId, type, status, occurredAt, actor, streamId, interactionId, grant, requestId, data);
  }

  /** The same, done by the owner in this request. */
  public TimelineEvent byOwner(@Nullable String request) {
    return new TimelineEvent(
        eventId,
        type,
        status,
        occurredAt,
        TimelineActor.OWNER,
        streamId,
        interactionId,
        grantId,
        request,
        data);
  }

  /** Shows what it is, not what it says. */
  @Override
  public String toString() {
    return "TimelineEvent[" + eventId + " " + type.value() + " " + status + "]";
  }
}
