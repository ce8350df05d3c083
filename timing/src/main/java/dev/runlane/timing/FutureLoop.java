package dev.runlane.timing;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work in turns, each of which begins once the one before it has ended. No turn waits for a later one, as it would
 * where each composed the next: very many need no more stack than one, whether they end at once or later.
 */
public final class FutureLoop {
  private FutureLoop() {}

  /**
   * Turns until one says that it was the last. Fails as the first turn does that fails or throws, and none follows.
   *
   * @param turn completes with true where another is to follow
   */
  public static Future<Void> whileTrue(Supplier<Future<Boolean>> turn) {
    Promise<Void> end = Promise.promise();
    goOn(turn, end);
    return end.future();
  }

  /**
   * Pages, each behind the one before it, until one has no cursor. Fails as {@link #whileTrue} does.
   *
   * @param page is given the cursor, null for the first page, and completes with that of the next; null: it was last
   */
  public static Future<Void> pages(Function<@Nullable String, Future<@Nullable String>> page) {
    AtomicReference<@Nullable String> cursor = new AtomicReference<>();
    return whileTrue(() -> page.apply(cursor.get()).map(next -> {
      cursor.set(next);
      return next != null;
    }));
  }

  /** Turns that have ended by the time they are looked at follow each other here, any other goes on by itself. */
  private static void goOn(Supplier<Future<Boolean>> turn, Promise<Void> end) {
    boolean isLast = false;
    while (!isLast) {
      Future<Boolean> begun = Future.<Void>succeededFuture().compose(start -> turn.get());
      if (!begun.isComplete()) {
        begun.onComplete(ended -> {
          if (!isLast(ended, end)) {
            goOn(turn, end);
          }
        });
        return;
      }
      isLast = isLast(begun, end);
    }
  }

  private static boolean isLast(AsyncResult<Boolean> ended, Promise<Void> end) {
    if (ended.failed()) {
      end.fail(ended.cause());
    } else if (!ended.result()) {
      end.complete();
    }
    return ended.failed() || !ended.result();
  }
}
