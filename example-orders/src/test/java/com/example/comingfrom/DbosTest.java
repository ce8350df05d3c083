package com.example.comingfrom;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.runtime.task.TriggerOptions;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class DbosTest {
  private final List<String> done = new ArrayList<>();

  // was a queue of concurrency 4
  private static final TaskQueue INDEXING = TaskQueue.of("indexing").concurrencyLimit(4);
  private static final Step<String> FETCH =
      Step.of("fetch", String.class).retry(RetryPolicy.attempts(3));

  // Was a method with @Workflow, whose calls were wrapped in runStep.
  private final Task<String> index = Task.define("index", String.class)
      .queue(INDEXING)
      .retry(RetryPolicy.attempts(10))
      .blockingHandler((url, context) -> {
        String page = context.callStep(FETCH, () -> did("page of " + url));
        context.await(context.sleep(Duration.ofMinutes(5)));
        return TaskResult.done(
            context.callStep(Step.of("store", String.class), () -> did("stored " + page)));
      });

  private String did(String what) {
    done.add(what);
    return what;
  }

  @Test
  void a_workflow_goes_on_where_its_process_died(RunlaneTesting testing) {
    testing.deploy(index);
    // was startWorkflow with the workflow id "site-7" and the queue
    TestRun run =
        testing.trigger(index, "a.example", new TriggerOptions().setIdempotencyKey("site-7"));
    testing.advance(Duration.ofMinutes(1));

    testing.kill();
    testing.deploy(index);
    testing.runUntilIdle();

    assertThat(run).succeeded().hasOutput("stored page of a.example");
    assertThat(done).containsExactly("page of a.example", "stored page of a.example");
  }
}
