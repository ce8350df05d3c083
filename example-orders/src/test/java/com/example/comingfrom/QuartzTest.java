package com.example.comingfrom;

import static dev.runlane.testing.RunlaneAssertions.assertThat;

import dev.runlane.runtime.task.MissedFires;
import dev.runlane.runtime.task.Schedule;
import dev.runlane.runtime.task.Task;
import dev.runlane.runtime.task.TaskResult;
import dev.runlane.testing.RunlaneTesting;
import dev.runlane.testing.RunlaneTestingExtension;
import java.time.Duration;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RunlaneTestingExtension.class)
@DisplayNameGeneration(ReplaceUnderscores.class)
class QuartzTest {
  record Import(String source) {} // was the JobDataMap

  private Task<Import> imports(RunlaneTesting testing) {
    return Task.define("import", Import.class) // was the JobDetail and its class
        .singletonKey(Import::source) // was @DisallowConcurrentExecution
        .schedule(Schedule.cron("stock", "*/10 * * * *", "Europe/Berlin") // was "0 0/10 * * * ?"
            .payload(new Import("stock"))
            .missedFires(MissedFires.latest())) // was withMisfireHandlingInstructionFireAndProceed
        .schedule(Schedule.cron("prices", "0 8 * * 1-5", "Europe/Berlin") // was "0 0 8 ? * MON-FRI"
            .payload(new Import("prices"))
            .missedFires(MissedFires.skip())) // was withMisfireHandlingInstructionDoNothing
        .handler((source, context) ->
            testing.timers().after(Duration.ofMinutes(25)).map(TaskResult.done()));
  }

  @Test
  void a_fire_while_the_last_one_works_makes_no_second_run(RunlaneTesting testing) {
    Task<Import> imports = imports(testing); // the clock begins on a Thursday at noon, UTC
    testing.deploy(imports);

    testing.advance(Duration.ofMinutes(61));

    assertThat(testing.runs(imports)).hasSize(2); // at 12:10 and 12:40
  }
}
