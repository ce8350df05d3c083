package dev.runlane.connector.protocol.manifest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A stream of records as a manifest declares it.
 *
 * @param name unique in the manifest, not blank
 * @param semantics what a record with a known key does
 * @param required the fields that its schema requires, in the schema's order
 * @param primaryKey the fields that identify a record; empty when the manifest does not say
 * @param cursorField the field that incremental reading follows, or null
 * @param consentTimeField the field that time ranges are compared with, or null
 * @param resourceField the field that names a record's resource beside its key, or null
 * @param unsupportedInMode whether it is left out when no scope is given
 */
public record ManifestStream(
    String name,
    Semantics semantics,
    List<String> required,
    List<String> primaryKey,
    @Nullable String cursorField,
    @Nullable String consentTimeField,
    @Nullable String resourceField,
    boolean unsupportedInMode) {

  /** What a record with a known key does. */
  public enum Semantics {
    /** Nothing: the first one stays. */
    APPEND_ONLY,
    /** It replaces the record. */
    MUTABLE_STATE
  }

  /** Copies the lists. */
  public ManifestStream {
    required = List.copyOf(required);
    primaryKey = List.copyOf(primaryKey);
  }
}
