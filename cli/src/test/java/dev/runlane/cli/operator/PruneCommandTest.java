package dev.runlane.cli.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import dev.runlane.storage.run.PrunedRuns;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("runlane prune that ends in the middle")
@DisplayNameGeneration(ReplaceUnderscores.class)
class PruneCommandTest {
  private final RecordedConsole console = new RecordedConsole();
  private final AtomicReference<Throwable> recorded = new AtomicReference<>();

  @Test
  void tells_and_records_how_many_runs_are_gone() {
    RunlaneException away =
        RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "the database is away");
    Deque<Future<PrunedRuns>> answers = new ArrayDeque<>(
        List.of(Future.succeededFuture(new PrunedRuns(500, "next")), Future.failedFuture(away)));
    PruneCommand command = new PruneCommand(console.patient());
    new CommandLine(command).parseArgs("--older-than", "90d", "--yes");

    assertThatThrownBy(() -> command
            .work()
            .on(RecordedConsole.answering(
                Operations.class,
                (proxy, method, given) -> method.getName().equals("recorded")
                    ? ((Supplier<?>) given[2]).get() instanceof Future<?> work
                        ? work.onFailure(recorded::set)
                        : null
                    : answers.remove())))
        .isSameAs(away);

    assertThat(console.out()).isEqualTo("500 runs removed\n");
    assertThat(recorded.get()).hasMessage("the database is away; 500 removed before that");
  }
}
