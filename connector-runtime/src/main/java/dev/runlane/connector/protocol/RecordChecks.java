package dev.runlane.connector.protocol;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the records of one stream must be. Immutable; the values that are looked at are put into {@link
 * Found} while a record's data is read.
 */
final class RecordChecks {
  private final String stream;
  private final @Nullable Set<String> fields; // null: all
  private final List<String> shownFields;
  private final Set<String> resources; // empty: all
  private final boolean timed;
  private final long since;
  private final long until;
  private final Map<String, Watch> watched = new HashMap<>();

  private RecordChecks(ManifestStream declared, StreamScope scope) {
    this.stream = scope.name();
    this.shownFields = scope.fields();
    this.fields = scope.fields().isEmpty() ? null : new HashSet<>(scope.fields());
    if (fields != null) {
      fields.addAll(declared.required());
    }
    this.resources = Set.copyOf(scope.resources());
    TimeRange range = scope.timeRange();
    this.timed = range != null && declared.consentTimeField() != null;
    this.since = range == null ? 0 : range.sinceMicros();
    this.until = range == null ? 0 : range.untilMicros();
    watch(declared);
  }

  static RecordChecks of(ManifestStream declared, StreamScope scope) {
    return new RecordChecks(declared, scope);
  }

  /** The stream's name: one instance for all its records. */
  String stream() {
    return stream;
  }

  /** Whether records may have this field. */
  boolean allows(String field) {
    return fields == null || fields.contains(field);
  }

  /** What the field is looked at for, or null when it is passed over. */
  @Nullable
  Watch watch(String field) {
    return watched.get(field);
  }

  /** The rule that a record breaks, or null when it breaks none. Data that is absent breaks no rule of data. */
  @Nullable
  Violation broken(String key, boolean hasData, Found found) {
    String resource = hasData ? found.resource : null;
    if (!resources.isEmpty()
        && !resources.contains(key)
        && (resource == null || !resources.contains(resource))) {
      return violation(
          ViolationType.RECORD_OUTSIDE_RESOURCES,
          "RECORD is outside the resources in scope",
          null,
          List.of());
    }
    if (hasData && found.extraField != null) {
      return violation(
          ViolationType.RECORD_OUTSIDE_FIELDS,
          "RECORD has a field that is not in scope",
          found.extraField,
          shownFields);
    }
    if (hasData && timed && !(found.micros >= since && found.micros < until)) {
      return violation(
          ViolationType.RECORD_OUTSIDE_TIME_RANGE,
          found.micros == Timestamps.UNREADABLE
              ? "RECORD has no readable consent time"
              : "RECORD is outside the time range in scope",
          null,
          List.of());
    }
    return null;
  }

  private void watch(ManifestStream declared) {
    if (timed && declared.consentTimeField() != null) {
      watched.merge(declared.consentTimeField(), new Watch(true, false), Watch::and);
    }
    if (!resources.isEmpty() && declared.resourceField() != null) {
      watched.merge(declared.resourceField(), new Watch(false, true), Watch::and);
    }
  }

  private Violation violation(
      ViolationType type, String message, @Nullable String received, List<String> expected) {
    return new Violation(type, message, "RECORD", stream, received, expected, false, 0);
  }

  /** What a field is looked at for. */
  record Watch(boolean isConsentTime, boolean isResource) {
    Watch and(Watch other) {
      return new Watch(isConsentTime || other.isConsentTime, isResource || other.isResource);
    }
  }

  /** What was found in one record's data. Belongs to one reader, which clears it for each record. */
  static final class Found {

    @Nullable
    String extraField;

    @Nullable
    String resource;

    long micros;

    void clear() {
      extraField = null;
      resource = null;
      micros = Timestamps.UNREADABLE;
    }
  }
}
