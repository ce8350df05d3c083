package dev.runlane.cli.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("a run that is watched while a server is started anew")
@DisplayNameGeneration(ReplaceUnderscores.class)
class RunsWatchCommandTest {
  private final RecordedConsole console = new RecordedConsole();

  private void watch(List<Supplier<Future<?>>> answers) {
    Deque<Supplier<Future<?>>> left = new ArrayDeque<>(answers);
    new RunsWatchCommand.Followed(
            RecordedConsole.answering(
                Operations.class, (proxy, method, given) -> left.remove().get()),
            console.patient(),
            "run_x",
            false,
            false)
        .untilEnd(null);
  }

  private static Future<?> away() {
    return Future.failedFuture(RunlaneException.unavailable(
        ErrorCode.TRANSPORT_UNAVAILABLE, null, "a proxy answers with status 503"));
  }

  @Test
  void is_asked_for_again() {
    assertThatThrownBy(() -> watch(List.of(RunsWatchCommandTest::away, () -> {
          console.interrupt();
          return away();
        })))
        .isInstanceOf(OperatorConsole.Interrupted.class);
  }

  @Test
  void is_not_asked_for_again_where_the_server_answers() {
    RunlaneException gone = RunlaneException.of(ErrorCode.RUN_NOT_FOUND, "run_x is gone");

    assertThatThrownBy(
            () -> watch(List.of(RunsWatchCommandTest::away, () -> Future.failedFuture(gone))))
        .isSameAs(gone);

    assertThat(console.err()).isEmpty();
  }
}
