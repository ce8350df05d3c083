package dev.runlane.storage.memory.kept;

import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.read.Page;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pages of what is kept in order. */
public final class Pages {
  private Pages() {}

  /** The first rows, with a cursor while there are more. */
  public static <T> Page<T> of(
      Stream<T> rows, @Nullable Integer wanted, Function<T, String> cursorAfter) {
    int limit = CommandChecks.pageLimit(wanted);
    List<T> found = rows.limit(limit + 1L).toList();
    return found.size() <= limit
        ? new Page<>(found, null)
        : new Page<>(found.subList(0, limit), cursorAfter.apply(found.get(limit - 1)));
  }
}
