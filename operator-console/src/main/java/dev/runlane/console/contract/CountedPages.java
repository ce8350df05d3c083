package dev.runlane.console.contract;

import dev.runlane.console.answer.ApiRefusal;
import dev.runlane.run.ContractDefaults;
import dev.runlane.storage.CommandChecks;
import dev.runlane.storage.read.Page;
import dev.runlane.timing.FutureLoop;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Pages of a list whose order is that of a value which may be hidden from the caller: the storage's cursor has the last
 * row's value, for everybody to read, and one that was made up would say where hidden values lie. For such a caller a
 * cursor counts rows instead, and the list is read anew up to there, so a row that comes or goes between two pages
 * moves those behind it by one.
 *
 * @param <T> what a row is
 */
public final class CountedPages<T> {
  private static final String KIND = "rows";
  private static final String SEPARATOR = "\0";
  private static final int PARTS = 3;
  private static final int MOST_DIGITS = 9;

  private final Source<T> source;
  private final int limit;
  private final String begin;
  private final int passed; // rows of the pages before, from where the list begins
  private final List<T> rows = new ArrayList<>();
  private int seen;

  private CountedPages(Source<T> source, int limit, List<String> cursor) {
    this.source = source;
    this.limit = limit;
    passed = Integer.parseInt(cursor.get(1));
    begin = cursor.get(2);
  }

  /**
   * The page that the call asks for.
   *
   * @param isTelling whether the storage's cursors would tell the caller what is hidden from them
   */
  public static <T> Future<Page<T>> read(ApiCall call, boolean isTelling, Source<T> source) {
    Integer limit = call.number("limit").orElse(null);
    Optional<String> cursor = call.one("cursor");
    if (!isTelling) {
      return source.page("", limit, cursor.orElse(null));
    }
    List<String> place = cursor.map(CountedPages::decode).orElse(List.of(KIND, "0", ""));
    return new CountedPages<>(source, CommandChecks.pageLimit(limit), place).read();
  }

  private static List<String> decode(String cursor) {
    try {
      String text = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
      List<String> parts = List.of(text.split(SEPARATOR, -1));
      if (parts.size() == PARTS
          && parts.get(0).equals(KIND)
          && parts.get(1).matches("\\d{1," + MOST_DIGITS + "}")) {
        return parts;
      }
    } catch (IllegalArgumentException malformed) {
      // told below
    }
    throw ApiRefusal.invalid(
        "cursor", "the cursor does not belong to this list, or to this caller");
  }

  private Future<Page<T>> read() {
    return FutureLoop.pages(cursor -> source
            .page(begin, ContractDefaults.MAX_PAGE_LIMIT, cursor)
            .map(page -> {
              page.data().forEach(this::add);
              return rows.size() > limit ? null : page.nextCursor();
            }))
        .map(read -> rows.size() > limit
            ? new Page<>(rows.subList(0, limit), next())
            : new Page<>(rows, null));
  }

  /** Rows of the place where the list begins alone are passed over: a count that was made up reads no further. */
  private void add(T row) {
    if (seen < passed && source.place(row).equals(begin)) {
      seen++;
    } else {
      rows.add(row);
    }
  }

  /** From the last row's place on, behind the rows of that place that this page has, and those before it. */
  private String next() {
    String place = source.place(rows.get(limit - 1));
    int count = 0;
    while (count < limit && source.place(rows.get(limit - 1 - count)).equals(place)) {
      count++;
    }
    int before = count == limit && place.equals(begin) ? passed : 0;
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(String.join(SEPARATOR, KIND, String.valueOf(before + count), place)
            .getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Where rows come from.
   *
   * @param <T> what a row is
   */
  @FunctionalInterface
  public interface Source<T> {
    /**
     * A page of the storage.
     *
     * @param begin the place from which the list is to begin; empty: its beginning
     */
    Future<Page<T>> page(String begin, @Nullable Integer limit, @Nullable String cursor);

    /** A place in the list's order that the caller may see, so that fewer rows are read anew; empty: none. */
    default String place(T row) {
      return "";
    }
  }
}
