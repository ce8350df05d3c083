package dev.runlane.operator.document;

import dev.runlane.run.Environment;
import java.util.Objects;

/**
 * Removes a document.
 *
 * @param environment scope
 * @param kind what it is
 * @param name which of its kind
 */
public record RemoveDocument(Environment environment, String kind, String name) {
  /** Refuses null. */
  public RemoveDocument {
    Objects.requireNonNull(environment);
    Objects.requireNonNull(kind);
    Objects.requireNonNull(name);
  }
}
