package dev.runlane.cli.command;

import dev.runlane.cli.option.TimeText;
import dev.runlane.cli.option.UsageException;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much of a list is wanted, and where it goes on. */
public final class PageOptions {
  private static final int LARGEST_PAGE = 200;
  private static final char AFTER_INSTANT = '/'; // which neither an instant nor a cursor has

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "N",
      description = "How many at most. Default: ${DEFAULT-VALUE}.")
  private int limit = 50;

  @Option(
      names = "--cursor",
      paramLabel = "CURSOR",
      description = "Goes on where an earlier list ended, with the same filter.")
  private @Nullable String cursor;

  /** One page of a list. */
  public interface Pages<T> {
    Future<Page<T>> next(int limit, @Nullable String cursor);
  }

  /** Throws {@link UsageException}. */
  public void check() {
    if (limit < 1) {
      throw new UsageException("--limit must be at least 1, was " + limit);
    }
  }

  /** Reads pages until there are as many as wanted. */
  public <T> Page<T> read(OperatorConsole console, Pages<T> pages) {
    return read(console, pages, cursor);
  }

  /**
   * When the list's first page was asked for, from which its times are reckoned, such as 1d ago: a cursor belongs to
   * one filter. Throws {@link UsageException}.
   */
  public Instant askedAt(Instant now) {
    String given = cursor == null ? "" : cursor;
    int end = given.indexOf(AFTER_INSTANT);
    return end < 0 ? now : TimeText.instant("--cursor", given.substring(0, end));
  }

  /** As {@link #read(OperatorConsole, Pages)}, with a cursor that tells {@link #askedAt} the time of this list. */
  public <T> Page<T> readAskedAt(Instant askedAt, OperatorConsole console, Pages<T> pages) {
    Page<T> page = read(
        console,
        pages,
        cursor == null ? null : cursor.substring(cursor.indexOf(AFTER_INSTANT) + 1));
    String next = page.nextCursor();
    return new Page<>(page.data(), next == null ? null : askedAt.toString() + AFTER_INSTANT + next);
  }

  private <T> Page<T> read(OperatorConsole console, Pages<T> pages, @Nullable String first) {
    List<T> all = new ArrayList<>();
    String from = first;
    do {
      Page<T> page = console.await(pages.next(Math.min(LARGEST_PAGE, limit - all.size()), from));
      all.addAll(page.data());
      from = page.nextCursor();
    } while (from != null && all.size() < limit);
    return new Page<>(all, from);
  }

  /** Says how to go on, where there is more. */
  public static void printMore(OperatorConsole console, Page<?> page) {
    if (page.nextCursor() != null) {
      console.out().println("More: --cursor " + page.nextCursor());
    }
  }
}
