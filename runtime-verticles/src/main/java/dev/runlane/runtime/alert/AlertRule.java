package dev.runlane.runtime.alert;

import dev.runlane.run.Identifiers;
import dev.runlane.run.RunlaneException;
import dev.runlane.timing.Durations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rule that looks for something that is wrong.
 *
 * @param id which rule; what begins with {@code runlane.} is reserved
 * @param kind what it looks for
 * @param threshold from where on it is wrong, above 0; {@link AlertKind} says in which unit
 * @param window how far back it looks, from 1 min to 1 d; for a failure rate up to 17 min more, whole steps of counted
 *     minutes
 * @param queue of this queue alone; null: of any
 * @param taskId of this task alone; null: of any
 * @param channels who is told, by the names of {@link AlertChannel}s of the processes that tell
 * @param isEnabled whether it looks at all
 * @param silencedUntil nobody is told before; null: it is not silenced
 */
public record AlertRule(
    String id,
    AlertKind kind,
    double threshold,
    Duration window,
    @Nullable String queue,
    @Nullable String taskId,
    List<String> channels,
    boolean isEnabled,
    @Nullable Instant silencedUntil) {
  /** How far back a rule looks unless it says so = 10 min. */
  public static final Duration DEFAULT_WINDOW = Duration.ofMinutes(10);

  /** How the ids of rules begin that are none of an operator's = {@value}. */
  static final String RESERVED = "runlane.";

  private static final Duration SHORTEST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofDays(1);
  private static final int MOST_CHANNELS = 16;

  /** Copies the list. Throws {@code ValidationFailed} for what is no rule. */
  public AlertRule {
    Identifiers.requireId("id", id);
    if (id.startsWith(RESERVED)) {
      throw RunlaneException.validationFailed(
          "the id of a rule must not begin with %s, but is %s", RESERVED, id);
    }
    Objects.requireNonNull(kind);
    channels = List.copyOf(channels);
    channels.forEach(channel -> Identifiers.requireId("channels", channel));
    if (queue != null) {
      Identifiers.requireId("queue", queue);
    }
    if (taskId != null) {
      Identifiers.requireId("taskId", taskId);
    }
    if (!(threshold > 0) || threshold > kind.most()) {
      throw RunlaneException.validationFailed(
          "the threshold of a rule for %s must be above 0 and at most %s, but is %s",
          kind.value(), kind.most(), threshold);
    }
    if (window.compareTo(SHORTEST) < 0 || window.compareTo(LONGEST) > 0) {
      throw RunlaneException.validationFailed(
          "the window of a rule must be from %s to %s, but is %s", SHORTEST, LONGEST, window);
    }
    if (window.toNanosPart() % 1_000_000 != 0) {
      throw RunlaneException.validationFailed(
          "the window of a rule must be whole milliseconds, but is %s", window);
    }
    if (channels.size() > MOST_CHANNELS) {
      throw RunlaneException.validationFailed(
          "a rule tells at most %d channels, but has %d", MOST_CHANNELS, channels.size());
    }
  }

  /** A rule that is enabled, for any queue and task. */
  public static AlertRule of(String id, AlertKind kind, double threshold, List<String> channels) {
    return new AlertRule(id, kind, threshold, DEFAULT_WINDOW, null, null, channels, true, null);
  }

  /** The same of one queue alone. */
  public AlertRule queue(String queue) {
    return new AlertRule(
        id, kind, threshold, window, queue, taskId, channels, isEnabled, silencedUntil);
  }

  /** The same of one task alone. */
  public AlertRule task(String taskId) {
    return new AlertRule(
        id, kind, threshold, window, queue, taskId, channels, isEnabled, silencedUntil);
  }

  /** The same, and nobody is told before; null: it is not silenced. */
  public AlertRule silencedUntil(@Nullable Instant until) {
    return new AlertRule(id, kind, threshold, window, queue, taskId, channels, isEnabled, until);
  }

  /** Whether nobody is told at this time. */
  public boolean isSilentAt(Instant now) {
    return silencedUntil != null && now.isBefore(silencedUntil);
  }

  /** All but the id, as it is stored and sent. */
  public JsonObject toJson() {
    JsonObject json = new JsonObject()
        .put("kind", kind.value())
        .put("threshold", threshold)
        .put("window", Durations.format(window));
    if (queue != null) {
      json.put("queue", queue);
    }
    if (taskId != null) {
      json.put("taskId", taskId);
    }
    json.put("channels", new JsonArray(channels)).put("enabled", isEnabled);
    if (silencedUntil != null) {
      json.put("silencedUntil", silencedUntil.toString());
    }
    return json;
  }

  /** A rule from JSON. Throws {@code ValidationFailed} for what is none. */
  public static AlertRule of(String id, JsonObject json) {
    try {
      String kind = json.getString("kind", "");
      String until = json.getString("silencedUntil");
      String window = json.getString("window");
      return new AlertRule(
          id,
          AlertKind.ofValue(kind)
              .orElseThrow(() -> RunlaneException.validationFailed(
                  "an alert rule has no kind that is known here")),
          json.getDouble("threshold", 0.0),
          window == null ? DEFAULT_WINDOW : Durations.parse(window),
          json.getString("queue"),
          json.getString("taskId"),
          json.getJsonArray("channels", new JsonArray()).stream()
              .map(String.class::cast)
              .toList(),
          json.getBoolean("enabled", true),
          until == null ? null : Instant.parse(until));
    } catch (ClassCastException | java.time.DateTimeException malformed) {
      throw RunlaneException.validationFailed("the alert rule %s is malformed", id)
          .causedBy(malformed);
    }
  }
}
