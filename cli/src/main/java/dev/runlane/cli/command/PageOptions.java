package dev.runlane.cli.command;

import dev.runlane.cli.option.UsageException;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much of a list is wanted, and where it goes on. */
public final class PageOptions {
  private static final int LARGEST_PAGE = 200;

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
    List<T> all = new ArrayList<>();
    String from = cursor;
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
