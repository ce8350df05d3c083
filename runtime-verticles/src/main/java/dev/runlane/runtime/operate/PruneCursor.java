package dev.runlane.runtime.operate;

import dev.runlane.json.JsonWriter;
import dev.runlane.json.VertxJson;
import dev.runlane.run.RunStatus;
import dev.runlane.run.RunlaneException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.stream.Collectors;

/**
 * Where a prune continues, with the cutoff its first call resolved.
 *
 * @param fingerprint the age or cutoff and the statuses, as they were asked for
 * @param cutoff the resolved instant
 * @param storageCursor the storage's own cursor
 */
record PruneCursor(String fingerprint, Instant cutoff, String storageCursor) {
  /** What identifies a request over its calls. */
  static String fingerprint(PruneOptions options) {
    String when = options
        .age()
        .map(Object::toString)
        .orElseGet(() -> options.cutoff().map(Object::toString).orElse(""));
    return options.getStatuses().stream()
        .map(RunStatus::value)
        .sorted()
        .collect(Collectors.joining(",", when + "/", ""));
  }

  String encode() {
    JsonWriter json = new JsonWriter();
    json.text("asked", fingerprint);
    json.instant("cutoff", cutoff);
    json.text("cursor", storageCursor);
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(json.end().getBytes(StandardCharsets.UTF_8));
  }

  /** Throws {@code ValidationFailed} for a cursor that is malformed or of another request. */
  static PruneCursor decode(String text, PruneOptions options) {
    PruneCursor cursor;
    try {
      JsonObject json =
          VertxJson.read(new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8));
      cursor = new PruneCursor(
          json.getString("asked", ""),
          Instant.parse(json.getString("cutoff", "")),
          json.getString("cursor", ""));
    } catch (IllegalArgumentException
        | RunlaneException
        | DateTimeException
        | ClassCastException malformed) {
      throw RunlaneException.validationFailed("the prune cursor is malformed").causedBy(malformed);
    }
    if (!cursor.fingerprint().equals(fingerprint(options))) {
      throw RunlaneException.validationFailed(
          "the prune cursor belongs to a request with another age or other statuses");
    }
    return cursor;
  }
}
