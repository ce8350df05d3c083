package dev.runlane.operator.document;

import dev.runlane.run.Environment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a page of documents.
 *
 * @param environment scope
 * @param kind of this kind
 * @param limit rows wanted; null: the default; more than the maximum is cut to it
 * @param cursor where the page before ended; null: the first page
 */
public record ListDocuments(
    Environment environment,
    String kind,
    @Nullable Integer limit,
    @Nullable String cursor) {
  /** Refuses null. */
  public ListDocuments {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(kind);
  }
}
