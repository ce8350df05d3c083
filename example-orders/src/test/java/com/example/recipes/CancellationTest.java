package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskContext;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class CancellationTest {
  record Trip(String city) {}

  private final List<String> done = new ArrayList<>();
  private boolean noCarLeft;

  private final Task<Trip> book = Task.define("trips.book", Trip.class)
      .handler((trip, context) -> context
          .step("book flight", () -> did("flight to " + trip.city()))
          .compose(flight -> context
              .step("book car", () -> noCarLeft ? Future.failedFuture("no car left") : did("car"))
              .recover(failure -> context // the step failed for good: undo what is done
                  .step("cancel flight", () -> did("flight cancelled"))
                  .compose(undone -> Future.failedFuture(failure))))
          .map(TaskResult.done()));

  private Task<Integer> count(RunlaneTesting testing) {
    return Task.define("rows.copy", Integer.class)
        .handler((pages, context) -> copy(testing, context, 0, pages).map(TaskResult.done()));
  }

  private Future<Void> copy(RunlaneTesting testing, TaskContext context, int page, int pages) {
    if (page == pages || context.isSignalled()) { // between two pieces: the place to stop
      return Future.succeededFuture();
    }
    return testing
        .timers()
        .after(Duration.ofSeconds(1))
        .compose(copied -> copy(testing, context, page + 1, pages));
  }

  private Future<Void> did(String what) {
    done.add(what);
    return Future.succeededFuture();
  }

  @Test
  void a_handler_ends_at_the_next_piece(RunlaneTesting testing) {
    Task<Integer> copy = count(testing);
    testing.deploy(copy);
    TestRun run = testing.trigger(copy, 3_600);
    testing.advance(Duration.ofSeconds(10));

    run.cancel("the customer left");
    testing.advance(Duration.ofSeconds(10));

    assertThat(run).cancelled();
  }

  @Test
  void what_was_done_is_undone_by_a_step(RunlaneTesting testing) {
    noCarLeft = true;
    testing.deploy(book);

    TestRun run = testing.trigger(book, new Trip("Oslo"));
    testing.runUntilIdle();

    assertThat(run).failed();
    assertThat(done).containsExactly("flight to Oslo", "flight cancelled");
  }
}
