package dev.runlane.connector.protocol.read;

import dev.runlane.connector.protocol.manifest.ManifestStream;
import dev.runlane.connector.protocol.message.Violation;
import dev.runlane.connector.protocol.message.ViolationType;
import dev.runlane.connector.protocol.start.StreamScope;
import dev.runlane.connector.protocol.start.TimeRange;
import dev.runlane.connector.protocol.text.Timestamps;
import java.util.Arrays;
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
  private final List<String> primaryKey;
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
    this.primaryKey = declared.primaryKey();
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

  /** The rule that a record breaks, or null when it breaks none; data that is null breaks no rule of data. */
  @Nullable
  Violation broken(String key, @Nullable Found data) {
    Violation outside = outsideResourcesOrFields(key, data);
    return outside == null && data != null && isOutsideTimeRange(data)
        ? outsideTimeRange(data)
        : outside;
  }

  /** The same for a deletion, whose data may be no more than its key: a time that is not there breaks no rule. */
  @Nullable
  Violation brokenByDeletion(String key, @Nullable Found data) {
    return data == null || data.micros == Timestamps.UNREADABLE
        ? outsideResourcesOrFields(key, data)
        : broken(key, data);
  }

  private @Nullable Violation outsideResourcesOrFields(String key, @Nullable Found data) {
    if (isOutsideResources(key, data)) {
      return violation(
          ViolationType.RECORD_OUTSIDE_RESOURCES,
          "RECORD is outside the resources in scope",
          null,
          List.of());
    }
    if (data != null && data.extraField != null) {
      return violation(
          ViolationType.RECORD_OUTSIDE_FIELDS,
          "RECORD has a field that is not in scope",
          data.extraField,
          shownFields);
    }
    return null;
  }

  private boolean isOutsideTimeRange(Found data) {
    return timed && !(data.micros >= since && data.micros < until);
  }

  private Violation outsideTimeRange(Found data) {
    return violation(
        ViolationType.RECORD_OUTSIDE_TIME_RANGE,
        data.micros == Timestamps.UNREADABLE
            ? "RECORD has no readable consent time"
            : "RECORD is outside the time range in scope",
        null,
        List.of());
  }

  private boolean isOutsideResources(String key, @Nullable Found data) {
    if (resources.isEmpty() || resources.contains(key)) {
      return false;
    }
    String resource = data == null ? null : data.resource;
    return resource == null || !resources.contains(resource);
  }

  /** A fresh place for what is found in one record after another. */
  Found found() {
    return new Found(primaryKey.size());
  }

  /** Whether the values of the primary key are the key's parts. */
  boolean identifies(List<String> keyParts, @Nullable Found data) {
    if (data == null || primaryKey.isEmpty()) {
      return true;
    }
    boolean same = keyParts.size() == primaryKey.size();
    for (int i = 0; same && i < data.identity.length; i++) {
      same = keyParts.get(i).equals(data.identity[i]);
    }
    return same;
  }

  private void watch(ManifestStream declared) {
    for (int i = 0; i < primaryKey.size(); i++) {
      watched.merge(primaryKey.get(i), new Watch(i, false, false), Watch::and);
    }
    if (timed && declared.consentTimeField() != null) {
      watched.merge(declared.consentTimeField(), new Watch(-1, true, false), Watch::and);
    }
    if (!resources.isEmpty() && declared.resourceField() != null) {
      watched.merge(declared.resourceField(), new Watch(-1, false, true), Watch::and);
    }
  }

  private Violation violation(
      ViolationType type, String message, @Nullable String received, List<String> expected) {
    return new Violation(type, message, "RECORD", stream, received, expected, false, 0);
  }

  /**
   * What a field is looked at for.
   *
   * @param keyPart its place in the primary key, or -1
   * @param isConsentTime whether time ranges are compared with it
   * @param isResource whether it may name the resource
   */
  record Watch(int keyPart, boolean isConsentTime, boolean isResource) {
    Watch and(Watch other) {
      return new Watch(
          Math.max(keyPart, other.keyPart),
          isConsentTime || other.isConsentTime,
          isResource || other.isResource);
    }
  }

  /** What was found in one record's data. Belongs to one reader, which clears it for each record. */
  static final class Found {
    final @Nullable String[] identity;

    @Nullable
    String extraField;

    @Nullable
    String resource;

    long micros;

    private Found(int keyParts) {
      this.identity = new @Nullable String[keyParts];
    }

    void clear() {
      Arrays.fill(identity, null);
      extraField = null;
      resource = null;
      micros = Timestamps.UNREADABLE;
    }
  }
}
