package dev.runlane.timing;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FutureLoopTest {
  private static final int VERY_MANY = 100_000;

  private final Vertx vertx = Vertx.vertx();
  private int turns;

  @AfterEach
  void close() throws TimeoutException {
    await(vertx.close());
  }

  @Test
  void very_many_turns_that_end_at_once_need_no_more_stack_than_one() throws TimeoutException {
    await(FutureLoop.whileTrue(() -> Future.succeededFuture(++turns < VERY_MANY)));

    assertThat(turns).isEqualTo(VERY_MANY);
  }

  @Test
  void so_do_very_many_that_end_later_and_such_as_end_at_once_among_them() throws TimeoutException {
    await(later(() -> FutureLoop.whileTrue(() -> {
      boolean goesOn = ++turns < VERY_MANY;
      return turns % 3 == 0
          ? Future.succeededFuture(goesOn)
          : later(() -> Future.succeededFuture(goesOn));
    })));

    assertThat(turns).isEqualTo(VERY_MANY);
  }

  @Test
  void a_turn_begins_once_the_one_before_it_has_ended() {
    Deque<Promise<Boolean>> begun = new ArrayDeque<>();
    Future<Void> loop = FutureLoop.whileTrue(() -> {
      begun.add(Promise.promise());
      return begun.getLast().future();
    });

    assertThat(begun).hasSize(1);
    begun.getLast().complete(true);
    assertThat(begun).hasSize(2);
    assertThat(loop.isComplete()).isFalse();
    begun.getLast().complete(false);

    assertThat(loop.succeeded()).isTrue();
    assertThat(begun).hasSize(2);
  }

  @Test
  void none_follows_a_turn_that_fails_or_throws() {
    IllegalStateException broken = new IllegalStateException("broken");

    Future<Void> failed = FutureLoop.whileTrue(
        () -> ++turns < 3 ? Future.succeededFuture(true) : Future.failedFuture(broken));
    Future<Void> thrown = FutureLoop.whileTrue(() -> {
      turns++;
      throw broken;
    });

    assertThat(failed.cause()).isSameAs(broken);
    assertThat(thrown.cause()).isSameAs(broken);
    assertThat(turns).isEqualTo(4);
  }

  @Test
  void each_page_is_read_behind_the_one_before_it_until_one_has_no_cursor()
      throws TimeoutException {
    List<String> asked = new ArrayList<>();
    Deque<String> cursors = new ArrayDeque<>(List.of("a", "b"));

    await(FutureLoop.pages(cursor -> {
      asked.add(cursor);
      return Future.succeededFuture(cursors.poll());
    }));

    assertThat(asked).isEqualTo(Arrays.asList(null, "a", "b"));
  }

  @Test
  void a_page_that_cannot_be_read_is_the_last() {
    assertThatThrownBy(() -> await(FutureLoop.pages(cursor -> cursor == null
            ? Future.succeededFuture("next")
            : Future.failedFuture(new IllegalStateException("away")))))
        .hasMessageContaining("away");
  }

  /** The work on a later turn of the event loop. */
  private <T> Future<T> later(Supplier<Future<T>> work) {
    Promise<T> done = Promise.promise();
    vertx.runOnContext(turn -> work.get().onComplete(done));
    return done.future();
  }

  private static <T> T await(Future<T> future) throws TimeoutException {
    return future.await(60, SECONDS);
  }
}
