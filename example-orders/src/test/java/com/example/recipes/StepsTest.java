package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertReplays;
import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.RetryPolicy;
import dev.runlane.runtime.task.Step;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import dev.runlane.testing.TestRun;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class StepsTest {
  record Parcel(String id) {}

  private final List<String> done = new ArrayList<>();

  private Task<List<String>> send(RunlaneTesting testing) {
    Step<String> label = Step.of("label", String.class).retry(RetryPolicy.attempts(3));
    @SuppressWarnings("unchecked")
    Class<List<String>> ids = (Class<List<String>>) (Class<?>) List.class;
    return Task.define("parcels.send", ids)
        .retry(RetryPolicy.attempts(5))
        .handler((parcels, context) -> context
            .step(
                "today",
                String.class,
                () -> Future.succeededFuture( // a clock is read in a step
                    LocalDate.ofInstant(testing.now(), ZoneOffset.UTC).toString()))
            .compose(today -> Future.join(parcels.stream() // side by side
                    .map(parcel -> context.step("pack " + parcel, String.class, () -> pack(parcel)))
                    .toList())
                .compose(packed -> context.sleep(Duration.ofHours(12))) // the van comes later
                .compose(slept -> context.step(label, () -> pack("label of " + today))))
            .map(TaskResult::done));
  }

  private Future<String> pack(String what) {
    done.add(what);
    return Future.succeededFuture(what);
  }

  @Test
  void a_crash_repeats_no_finished_step(RunlaneTesting testing) {
    Task<List<String>> send = send(testing);
    testing.deploy(send);
    TestRun run = testing.trigger(send, List.of("a", "b"));
    testing.advance(Duration.ofHours(1));

    testing.kill();
    testing.deploy(send);
    testing.runUntilIdle();

    assertThat(run).succeeded().completedSteps("today", "pack a", "pack b", "label");
    assertThat(done).containsExactly("a", "b", "label of 2026-01-01");
  }

  @Test
  void a_step_that_failed_is_done_again_alone(RunlaneTesting testing) {
    Task<List<String>> send = send(testing);
    testing.deploy(send);
    testing.faults().failStep("pack b", 1);

    TestRun run = testing.trigger(send, List.of("a", "b"));
    testing.runUntilIdle();

    assertThat(run).succeeded().afterFailures(1);
    assertThat(done).filteredOn("a"::equals).hasSize(1);
    assertReplays(run.history(), send);
  }
}
