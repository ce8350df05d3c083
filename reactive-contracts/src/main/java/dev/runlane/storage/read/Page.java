package dev.runlane.storage.read;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param data the rows
 * @param nextCursor opaque; asks for the rows after these; null at the end
 * @param <T> what a row is
 */
public record Page<T>(List<T> data, @Nullable String nextCursor) {
  /** Copies the rows. */
  public Page {
    data = List.copyOf(data);
  }
}
