package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.run.RunStatus;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskQueue;
import dev.runlane.runtime.task.TaskResult;
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
class BoundedQueuesTest {
  record Export(String tenant, int part) {}

  static final TaskQueue EXPORTS = TaskQueue.of("exports").concurrencyLimit(2);

  @Test
  void each_tenant_has_two_exports_under_way_at_most(RunlaneTesting testing) {
    Task<Export> export = Task.define("exports.make", Export.class)
        .queue(EXPORTS)
        .concurrencyKey(Export::tenant) // without a key the whole queue is one partition
        .handler((part, context) ->
            testing.timers().after(Duration.ofMinutes(10)).map(TaskResult.done()));
    testing.deploy(export);

    List<TestRun> ofAda = new ArrayList<>();
    for (int part = 0; part < 5; part++) {
      ofAda.add(testing.trigger(export, new Export("ada", part)));
    }
    TestRun ofBob = testing.trigger(export, new Export("bob", 0));
    testing.advance(Duration.ofMinutes(1));

    assertThat(ofAda).filteredOn(run -> run.status() == RunStatus.RUNNING).hasSize(2);
    assertThat(ofBob).isRunning();
    testing.runUntilIdle();
    assertThat(ofAda).allSatisfy(run -> assertThat(run).succeeded());
  }
}
