package dev.runlane.connectorkit.message;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of one stream.
 *
 * @param resources the only resources wanted; null means all
 * @param fields the only members a record's data may have, those the manifest requires included;
 *     null means all
 * @param timeRange null means all times
 */
public record StreamScope(
    String name,
    @Nullable List<String> resources,
    @Nullable List<String> fields,
    @Nullable TimeRange timeRange) {

  /** Copies the lists. */
  public StreamScope {
    resources = resources == null ? null : List.copyOf(resources);
    fields = fields == null ? null : List.copyOf(fields);
  }

  /** The times asked for, if they are bounded. */
  public Optional<TimeRange> times() {
    return Optional.ofNullable(timeRange);
  }

  /** Whether a record with this key, or this resource, is wanted. */
  public boolean includesResource(String resource) {
    return resources == null || resources.contains(resource);
  }

  /** Whether records may have this member. */
  public boolean includesField(String field) {
    return fields == null || fields.contains(field);
  }

  /** Removes the members that are not wanted from {@code data}, and returns it. */
  public ObjectNode requestedFields(ObjectNode data) {
    if (fields != null) {
      data.retain(fields);
    }
    return data;
  }
}
