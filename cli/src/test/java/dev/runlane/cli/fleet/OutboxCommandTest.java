package dev.runlane.cli.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.cli.command.RecordedConsole;
import dev.runlane.cli.operate.Operations;
import dev.runlane.run.ErrorCode;
import dev.runlane.run.RunlaneException;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

@DisplayName("runlane outbox redrive --dead-letters that ends in the middle")
@DisplayNameGeneration(ReplaceUnderscores.class)
class OutboxCommandTest {
  private final RecordedConsole console = new RecordedConsole();

  @Test
  void tells_what_was_redriven_before_an_outage() {
    RunlaneException away =
        RunlaneException.unavailable(ErrorCode.STORAGE_UNAVAILABLE, null, "the database is away");
    Deque<Future<List<String>>> answers = new ArrayDeque<>(List.of(
        Future.succeededFuture(Collections.nCopies(200, "message")), Future.failedFuture(away)));
    OutboxCommand.Redrive command = new OutboxCommand.Redrive(console.patient());
    new CommandLine(command).parseArgs("--dead-letters", "--yes");

    assertThatThrownBy(() -> command
            .work()
            .on(RecordedConsole.answering(
                Operations.class, (proxy, method, given) -> answers.remove())))
        .isSameAs(away);

    assertThat(console.out()).isEqualTo("200 messages will be published again\n");
    assertThat(console.err()).isEqualTo("runlane: the same command goes on with the others\n");
  }
}
