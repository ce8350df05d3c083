package dev.runlane.connector.protocol;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.message.Received;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.read.MessageReader;
import dev.runlane.connector.protocol.read.OutputChecks;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.protocol.text.ReaderLimits;
import dev.runlane.run.Json;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A manifest, scopes and lines that the tests of this package share. */
public final class Shelf {
  static final String MANIFEST = """
      {"protocol_version": "0.1.0", "connector_id": "shelf", "version": "1.2.0",
       "display_name": "My shelf",
       "runtime_requirements": {"bindings": {"network": {"required": true},
                                             "interactive": {"required": false}}},
       "capabilities": {"human_interaction": ["otp"],
                        "refresh_policy": {"recommended_mode": "automatic", "rationale": "cheap",
                                           "recommended_interval_seconds": 3600,
                                           "minimum_interval_seconds": 60}},
       "streams": [
         {"name": "books", "semantics": "mutable_state",
          "schema": {"type": "object", "required": ["id", "name"]},
          "primary_key": ["id"], "cursor_field": "updated_at",
          "consent_time_field": "updated_at",
          "selection": {"fields": true, "resources": true, "resource_field": "author"}},
         {"name": "loans", "semantics": "append_only", "primary_key": ["book", "day"]},
         {"name": "scans", "availability": {"state": "unsupported_in_mode"}}]}
      """;

  private Shelf() {}

  public static ConnectorManifest manifest() {
    return ConnectorManifest.parse(MANIFEST);
  }

  static StartScope scope(String... streams) {
    return StartScope.requested(
        manifest(), Json.ofChecked("{\"streams\":[" + String.join(",", streams) + "]}"));
  }

  public static MessageReader reader(StartScope scope) {
    return new MessageReader(OutputChecks.of(manifest(), scope), ReaderLimits.DEFAULT);
  }

  public static MessageReader reader(String... streams) {
    return reader(scope(streams));
  }

  public static Received read(MessageReader reader, String line) {
    return read(reader, line.getBytes(StandardCharsets.UTF_8));
  }

  /** Reads from the middle of a larger array, as out of a buffer. */
  public static Received read(MessageReader reader, byte[] line) {
    byte[] buffer = new byte[line.length + 20];
    Arrays.fill(buffer, (byte) '#');
    System.arraycopy(line, 0, buffer, 7, line.length);
    return reader.read(buffer, 7, line.length, 1);
  }

  public static Received readAllStreams(String line) {
    return read(reader(StartScope.derived(manifest(), null)), line);
  }

  public static ViolationType violation(Received received) {
    if (received instanceof Violation violation) {
      return violation.type();
    }
    throw new AssertionError("passed its checks: " + received);
  }

  public static String record(String stream, String key, String data) {
    return """
        {"type":"RECORD","stream":"%s","key":%s,"data":%s,"emitted_at":"2026-03-01T10:00:00Z"}""".formatted(stream, key, data);
  }
}
