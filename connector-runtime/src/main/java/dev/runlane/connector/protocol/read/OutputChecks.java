package dev.runlane.connector.protocol.read;

import dev.runlane.connector.protocol.manifest.ConnectorManifest;
import dev.runlane.connector.protocol.manifest.ManifestReader;
import dev.runlane.connector.protocol.manifest.ManifestStream;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.start.StartScope;
import dev.runlane.connector.protocol.start.StreamScope;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a run's scope and its connector's manifest allow a connector to send. Immutable. */
public final class OutputChecks {
  private final Map<String, RecordChecks> byStream;
  private final List<String> names;

  private OutputChecks(Map<String, RecordChecks> byStream, List<String> names) {
    this.byStream = byStream;
    this.names = names;
  }

  /**
   * The checks of a scope. Fails with {@link dev.runlane.run.ErrorCode#CONNECTOR_INVALID} when the scope
   * has a stream that the manifest has not.
   */
  public static OutputChecks of(ConnectorManifest manifest, StartScope scope) {
    Map<String, RecordChecks> byStream = new HashMap<>();
    for (StreamScope stream : scope.streams()) {
      ManifestStream declared = manifest.stream(stream.name())
          .orElseThrow(() -> ManifestReader.invalid("it has no stream %s", stream.name()));
      byStream.put(stream.name(), RecordChecks.of(declared, stream));
    }
    return new OutputChecks(byStream, scope.names());
  }

  /** The names of the streams in scope, in order. */
  public List<String> streams() {
    return names;
  }

  /** The checks of a stream's records, or null when the stream is not in scope. */
  @Nullable
  RecordChecks stream(String name) {
    return byStream.get(name);
  }

  /** A message that named a stream which is not in scope. */
  Violation undeclared(ViolationType type, String messageType, String stream) {
    return new Violation(
        type,
        messageType + " names a stream that is not in scope",
        messageType,
        stream,
        stream,
        names,
        false,
        0);
  }
}
