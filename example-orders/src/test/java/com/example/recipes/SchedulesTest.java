package com.example.recipes;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
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
class SchedulesTest {
  private final List<String> made = new ArrayList<>();

  private final Task<String> report = Task.define("reports.make", String.class)
      .schedule(Schedule.cron("nightly", "0 2 * * *", "Europe/Berlin").payload("sales"))
      .schedule(Schedule.every("hourly", Duration.ofHours(1))
          .payload("stock")
          .missedFires(MissedFires.skip()))
      .handler(
          (name, context) -> context.step("make " + name, () -> make(name)).map(TaskResult.done()));

  private Future<Void> make(String name) {
    made.add(name);
    return Future.succeededFuture();
  }

  @Test
  void each_fire_makes_one_run(RunlaneTesting testing) { // the clock begins at noon, UTC
    testing.deploy(report);

    testing.advance(Duration.ofHours(24).plusMinutes(1));

    assertThat(made).filteredOn("sales"::equals).hasSize(1);
    assertThat(made).filteredOn("stock"::equals).hasSize(24);
  }

  @Test
  void of_the_fires_of_an_outage_the_latest_is_made_up_for(RunlaneTesting testing) {
    testing.deploy(report);
    testing.advance(Duration.ofMinutes(1));

    testing.kill();
    testing.advance(Duration.ofDays(3)); // three nights without a process
    testing.deploy(report);
    testing.advance(Duration.ofMinutes(1));

    assertThat(made).filteredOn("sales"::equals).hasSize(1);
  }
}
