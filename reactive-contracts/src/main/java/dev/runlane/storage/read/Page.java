package dev.runlane.storage.read;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param data the rows
 * @param nextCursor opaque; asks for the rows after these; null at the end
 * @param isCut whether rows may be missing from the list that neither this page nor a later one has, since the storage
 *     looks at a bounded number where no index has its order
 * @param <T> what a row is
 */
public record Page<T>(List<T> data, @Nullable String nextCursor, boolean isCut) {
  /** Copies the rows. */
  public Page {
    data = List.copyOf(data);
  }

  /** A part of a list from which no row is missing. */
  public Page(List<T> data, @Nullable String nextCursor) {
    this(data, nextCursor, false);
  }
}
