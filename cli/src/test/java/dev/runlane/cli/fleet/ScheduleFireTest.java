package dev.runlane.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("a fire by hand that ends in the middle")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ScheduleFireTest {
  private final RecordedConsole console = new RecordedConsole();

  /** Ctrl-C comes when the schedule is fired. */
  private OperatorExit fire(Duration patience, Future<?> answer) {
    SchedulesCommand.Fire command = new SchedulesCommand.Fire(console.within(patience));
    new CommandLine(command).parseArgs("report", "nightly");
    return command.work().on(RecordedConsole.answering(Operations.class, (proxy, method, given) -> {
      console.interrupt();
      return answer;
    }));
  }

  @Test
  void ctrl_c_while_the_run_is_being_made_still_tells_which_it_is() {
    assertThat(fire(
            OperatorConsole.DEFAULT_PATIENCE,
            Future.succeededFuture(Optional.of(RecordedConsole.made("run_1", "report")))))
        .isEqualTo(OperatorExit.DONE);

    assertThat(console.out()).isEqualTo("Run run_1 is of schedule nightly\n");
  }

  @Test
  void ctrl_c_and_no_answer_says_where_it_stands_whether_a_run_was_made() {
    assertThatThrownBy(() -> fire(Duration.ofMillis(50), Promise.promise().future()))
        .isInstanceOf(RunlaneException.class);

    assertThat(console.err())
        .isEqualTo("runlane: not known whether a run was made; runlane actions list --action"
            + " schedule.fire and runlane runs list say\n");
  }
}
