package dev.runlane.connector.protocol.start;

import dev.runlane.connector.protocol.manifest.ManifestStream;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run may send of one stream.
 *
 * @param name a stream of the manifest
 * @param resources the keys or resource names that are asked for; empty for all
 * @param timeRange the times that are asked for, or null for all
 * @param fields the fields that a record may have, in order, nothing twice; empty for all
 */
public record StreamScope(
    String name, List<String> resources, @Nullable TimeRange timeRange, List<String> fields) {

  /** Copies the lists. */
  public StreamScope {
    resources = List.copyOf(resources);
    fields = List.copyOf(fields);
  }

  /** Whether the stream may have more than this scope lets through: then no cursor of it stands for what is stored. */
  boolean isPart() {
    return !resources.isEmpty() || timeRange != null || !fields.isEmpty();
  }

  /** All of a stream. */
  static StreamScope all(String name) {
    return new StreamScope(name, List.of(), null, List.of());
  }

  /**
   * The same scope with the fields that a record cannot do without behind those that were asked for: what
   * the schema requires, the primary key, and the consent time where a time range was asked for.
   */
  StreamScope withNeededFields(ManifestStream stream) {
    if (fields.isEmpty()) {
      return this;
    }
    Set<String> needed = new LinkedHashSet<>(fields);
    needed.addAll(stream.required());
    needed.addAll(stream.primaryKey());
    if (timeRange != null && stream.consentTimeField() != null) {
      needed.add(stream.consentTimeField());
    }
    return new StreamScope(name, resources, timeRange, List.copyOf(needed));
  }

  StreamScope withResources(List<String> newResources) {
    return new StreamScope(name, newResources, timeRange, fields);
  }
}
