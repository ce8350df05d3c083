package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.terminal.Terminal;
import dev.runlane.testinfra.postgres.PostgresAddress;
import dev.runlane.testinfra.process.TcpLine;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("a database that takes connections and answers nothing")
@DisplayNameGeneration(ReplaceUnderscores.class)
class SilentDatabaseTest {
  private static final int SECONDS = 90;

  /** One of each way to the database; all at once, since each waits. */
  private static final List<String> COMMANDS = List.of(
      "runs list",
      "runs cancel run_x",
      "runs watch run_x",
      "trigger charge --payload 1",
      "prune --older-than 1d --yes",
      "queues list",
      "queues pause default",
      "workers",
      "outbox redrive --dead-letters --yes",
      "actions list",
      "jobs queues",
      "jobs pause mail",
      "migrate --plan",
      "migrate --apply",
      "doctor",
      "serve --port 0");

  @Test
  void ends_every_command_with_5_in_bounded_time() throws Exception {
    PostgresAddress there = OperatedFleet.database();
    try (TcpLine line = new TcpLine(there.host(), there.port())) {
      line.silence();
      String address = new PostgresAddress(
              "127.0.0.1", line.port(), there.database(), there.user(), there.password())
          .toUri();
      List<CompletableFuture<Printed>> all = new ArrayList<>();
      for (String command : COMMANDS) {
        List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
        if (!command.startsWith("serve")) {
          arguments.addAll(List.of("--answer-within", "3s"));
        }
        all.add(CompletableFuture.supplyAsync(
            () -> Printed.by(
                Map.of("RUNLANE_DATABASE", address),
                Terminal.NONE,
                arguments.toArray(String[]::new)),
            work -> new Thread(work).start()));
      }
      for (int i = 0; i < COMMANDS.size(); i++) {
        Printed printed = all.get(i).get(SECONDS, TimeUnit.SECONDS);

        assertThat(printed.exitCode()).as(COMMANDS.get(i) + " " + printed).isEqualTo(5);
      }
    }
  }
}
