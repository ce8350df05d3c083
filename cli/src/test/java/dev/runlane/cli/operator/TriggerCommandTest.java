package dev.runlane.cli.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.OperatorExit;
import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.runtime.task.TriggerResult;
import dev.runlane.storage.read.Page;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("a trigger that ends in the middle")
@DisplayNameGeneration(ReplaceUnderscores.class)
class TriggerCommandTest {
  private static final Duration BRIEF = Duration.ofMillis(50);

  private final RecordedConsole console = new RecordedConsole();
  private int asked;

  private OperatorExit trigger(Duration patience, Supplier<Future<TriggerResult>> answer) {
    TriggerCommand command = new TriggerCommand(console.within(patience));
    new CommandLine(command).parseArgs("charge", "--payload", "1", "--queue", "default");
    return command
        .work()
        .on(RecordedConsole.answering(
            Operations.class, (proxy, method, given) -> switch (method.getName()) {
              case "task" -> Future.succeededFuture(Optional.empty());
              case "listRuns" -> Future.succeededFuture(new Page<>(List.of(), null));
              case "recorded" -> ((Supplier<?>) given[2]).get();
              case "trigger" -> asked(answer);
              default -> false;
            }));
  }

  private Future<TriggerResult> asked(Supplier<Future<TriggerResult>> answer) {
    asked++;
    return answer.get();
  }

  @Test
  void ctrl_c_while_the_run_is_being_made_still_tells_which_it_is() {
    Supplier<Future<TriggerResult>> late = () -> {
      console.interrupt();
      return Future.succeededFuture(RecordedConsole.made("run_1", "charge"));
    };

    assertThat(trigger(OperatorConsole.DEFAULT_PATIENCE, late)).isEqualTo(OperatorExit.DONE);

    assertThat(console.out()).startsWith("Run run_1 is ");
  }

  @Test
  void ctrl_c_and_no_answer_says_where_it_stands_whether_a_run_was_made() {
    Supplier<Future<TriggerResult>> never = () -> {
      console.interrupt();
      return Promise.<TriggerResult>promise().future();
    };

    assertThatThrownBy(() -> trigger(BRIEF, never))
        .isInstanceOfSatisfying(RunlaneException.class, failure -> assertThat(failure.code())
            .isEqualTo(ErrorCode.STORAGE_UNAVAILABLE));

    assertThat(console.err())
        .isEqualTo("runlane: not known whether a run was made; runlane actions list --action"
            + " task.trigger and runlane runs list say\n");
  }

  @Test
  void ctrl_c_before_that_makes_none() {
    console.interrupt();

    assertThatThrownBy(() ->
            trigger(BRIEF, () -> Future.succeededFuture(RecordedConsole.made("run_1", "charge"))))
        .isInstanceOf(OperatorConsole.Interrupted.class);

    assertThat(asked).isZero();
    assertThat(console.out()).isEmpty();
  }
}
