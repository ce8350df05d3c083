package dev.runlane.connector.protocol;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the records of one stream must be. Immutable; the values that are looked at are put into {@link
 * Found} while a record's data is read.
 */
final class RecordChecks {
  /** Bits of what a field is watched for. */
  private static final int CONSENT_TIME = 1;

  private static final int RESOURCE = 2;

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

  /** A fresh place for what is found in one record after another. */
  Found found() {
    return new Found(primaryKey.size());
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

  /** Whether the values of the primary key are the key's parts. */
  boolean identifies(List<String> keyParts, boolean hasData, Found found) {
    if (!hasData || primaryKey.isEmpty()) {
      return true;
    }
    if (keyParts.size() != primaryKey.size()) {
      return false;
    }
    for (int i = 0; i < found.identity.length; i++) {
      if (!Objects.equals(found.identity[i], keyParts.get(i))) {
        return false;
      }
    }
    return true;
  }

  private void watch(ManifestStream declared) {
    for (int i = 0; i < primaryKey.size(); i++) {
      watched.put(primaryKey.get(i), new Watch(i, 0));
    }
    if (timed && declared.consentTimeField() != null) {
      watched.merge(declared.consentTimeField(), new Watch(-1, CONSENT_TIME), Watch::and);
    }
    if (!resources.isEmpty() && declared.resourceField() != null) {
      watched.merge(declared.resourceField(), new Watch(-1, RESOURCE), Watch::and);
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
   * @param uses bits of the other uses
   */
  record Watch(int keyPart, int uses) {
    Watch and(Watch other) {
      return new Watch(Math.max(keyPart, other.keyPart), uses | other.uses);
    }

    boolean isConsentTime() {
      return (uses & CONSENT_TIME) != 0;
    }

    boolean isResource() {
      return (uses & RESOURCE) != 0;
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
