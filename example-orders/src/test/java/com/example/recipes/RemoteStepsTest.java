package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.RemoteStep;
import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class RemoteStepsTest {
  record Picture(String url) {}

  static final RemoteStep<String> RESIZE = RemoteStep.of("resize", String.class)
      .retry(RetryPolicy.attempts(3).fixedDelay(Duration.ofMinutes(1)))
      .deadline(Duration.ofHours(2));

  private final Task<Picture> publish = Task.define("pictures.publish", Picture.class)
      .handler((picture, context) -> context
          .remote(RESIZE, picture) // a row for a worker; the run holds nothing until its answer
          .recover(failure -> context.step(
              "use original", String.class, () -> Future.succeededFuture(picture.url())))
          .map(TaskResult::done));

  @Test
  void a_worker_elsewhere_answers(RunlaneTesting testing) {
    testing
        .serve(
            RESIZE,
            request ->
                Future.succeededFuture("small " + request.input(Picture.class).url()))
        .deploy(publish);

    TestRun run = testing.trigger(publish, new Picture("cat.png"));
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput("small cat.png");
  }

  @Test
  void a_worker_that_gives_up_leaves_a_way_on(RunlaneTesting testing) {
    testing
        .serve(
            RESIZE,
            request -> Future.failedFuture(
                RunlaneException.validationFailed("no picture").asNotRetryable()))
        .deploy(publish);

    TestRun run = testing.trigger(publish, new Picture("cat.png"));
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput("cat.png");
  }

  @Test
  void nobody_answers_in_time(RunlaneTesting testing) {
    testing.deploy(publish);

    TestRun run = testing.trigger(publish, new Picture("cat.png"));
    testing.advance(Duration.ofHours(1));
    assertThat(run).isWaiting();
    testing.advance(Duration.ofHours(2));

    assertThat(run).succeeded().hasOutput("cat.png");
  }
}
