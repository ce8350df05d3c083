package dev.runlane.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.RunRecord;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The commands of operators as processes of their own. */
@Tag("slow")
@DisplayName("The program of operators")
@DisplayNameGeneration(ReplaceUnderscores.class)
class OperatorProgramTest {
  private static final int SECONDS = 60;

  private OperatedFleet fleet;

  @BeforeEach
  void start() {
    fleet = OperatedFleet.onEmptied();
  }

  @AfterEach
  void end() {
    fleet.close();
  }

  private static boolean isOfTheJvm(String argument) {
    return argument.startsWith("-D");
  }

  private Process program(String... arguments) throws IOException {
    // A build that runs in the background would hand its ignored SIGINT on.
    List<String> command = new ArrayList<>(List.of("/usr/bin/env", "--default-signal=INT"));
    command.addAll(CommandJvm.java(CommandJvm.SHORT, "-XX:+UseSerialGC"));
    Stream.of(arguments).filter(OperatorProgramTest::isOfTheJvm).forEach(command::add);
    command.add(RunlaneProgram.class.getName());
    Stream.of(arguments).filter(each -> !isOfTheJvm(each)).forEach(command::add);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(fleet.variables());
    Process process = builder.start();
    CompletableFuture.delayedExecutor(SECONDS, TimeUnit.SECONDS)
        .execute(process::destroyForcibly); // so that a command that hangs fails its test
    return process;
  }

  @Test
  void lists_runs_and_ends_with_0_and_nothing_but_the_list() throws Exception {
    RunRecord run = fleet.charged(1);

    Process process = program("runs", "list");
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), UTF_8);

    assertThat(process.waitFor()).as(err).isZero();
    assertThat(out).startsWith("RUN ").contains("\n" + run.id() + " ").hasLineCount(2);
    assertThat(err).isEmpty();
  }

  @Test
  void the_console_is_served_whatever_the_language_of_the_machine() throws Exception {
    Process process = program("-Duser.language=tr", "serve", "--port", "0");

    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      assertThat(out.readLine()).contains("http://127.0.0.1:");
    } finally {
      process.destroy();
    }

    assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void ctrl_c_ends_a_watch_with_130_and_leaves_no_process() throws Exception {
    RunRecord run = fleet.charged(1);

    Process process = program("runs", "watch", run.id());
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      assertThat(out.readLine()).contains("run.created");
      assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
              .start()
              .waitFor())
          .isZero();

      assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(process.exitValue()).isEqualTo(130);
    assertThat(new String(process.getErrorStream().readAllBytes(), UTF_8))
        .isEqualTo("runlane: interrupted\n");
    assertThat(process.toHandle().isAlive()).isFalse();
    assertThat(fleet.get(run.id()).status().isTerminal()).isFalse();
  }
}
