package dev.runlane.conformance.model;

import dev.runlane.run.RunlaneException;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.read.Page;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pages of lists, and where each of them ended. */
public final class ModelPages {
  private final Names names;
  private final Map<String, Place<?>> cursors = new HashMap<>();

  public ModelPages(Names names) {
    this.names = names;
  }

  /** The rows behind the cursor's; another list's cursor is refused. {@code list} is all that makes it another one. */
  public <T> Page<T> page(
      List<Object> list,
      Stream<T> rows,
      Comparator<T> order,
      @Nullable Integer limit,
      @Nullable String cursor) {
    Stream<T> ordered = rows.sorted(order);
    if (cursor != null) {
      @SuppressWarnings("unchecked") // a list has rows of one kind
      T last = (T) placeOf(cursor, list);
      ordered = ordered.filter(row -> order.compare(row, last) > 0);
    }
    List<T> wanted = ordered.toList();
    int shown = Math.min(CommandChecks.pageLimit(limit), wanted.size());
    if (shown == wanted.size()) {
      return new Page<>(wanted, null);
    }
    String next = names.make("cursor");
    cursors.put(next, new Place<>(list, wanted.get(shown - 1)));
    return new Page<>(wanted.subList(0, shown), next);
  }

  private Object placeOf(String cursor, List<Object> list) {
    Place<?> place = cursors.get(cursor);
    if (place == null || !place.list().equals(list)) {
      throw RunlaneException.validationFailed("the cursor belongs to no list like this");
    }
    return place.last();
  }

  /** Where a page ended: behind this row of this list. */
  private record Place<T>(List<Object> list, T last) {}
}
