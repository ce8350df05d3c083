package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("runlane --help and completion")
@DisplayNameGeneration(ReplaceUnderscores.class)
class HelpTest {
  private static final List<String> COMMANDS = List.of(
      "runs",
      "trigger",
      "tasks",
      "queues",
      "workers",
      "outbox",
      "alerts",
      "actions",
      "jobs",
      "prune",
      "doctor",
      "migrate",
      "connectors",
      "worker",
      "tick",
      "serve",
      "dev",
      "completion");

  @Test
  void the_program_names_each_command_with_what_it_is_for() {
    Printed printed = Printed.by("--help");

    assertThat(printed.exitCode()).isZero();
    assertThat(printed.err()).isEmpty();
    for (String command : COMMANDS) {
      assertThat(printed.out()).containsPattern("(?m)^  " + command + " +[A-Z]\\w+");
    }
    assertThat(printed.out()).contains("RUNLANE_DATABASE");
  }

  @Test
  void an_answer_that_cannot_be_written_fails_the_command_unless_its_reader_left() {
    assertThat(unwritten(Terminal.NONE))
        .isEqualTo(new Printed(1, "", "runlane: standard output could not be written\n"));
    assertThat(unwritten(new Terminal(0, false, false, true))).isEqualTo(new Printed(141, "", ""));
  }

  private static Printed unwritten(Terminal terminal) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode = RunlaneProgram.execute(
        new Commands(
            new Interruption(),
            new PrintStream(new FullDisk(), true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Map.of(),
            terminal),
        "--help");
    return new Printed(exitCode, "", err.toString(StandardCharsets.UTF_8));
  }

  private static final class FullDisk extends OutputStream {
    @Override
    public void write(int one) throws IOException {
      throw new IOException("No space left on device");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "runs list --task=,",
        "runs cancel --task charge,,bill --yes",
        "runs list --queue ,",
        "prune --status , --older-than 1d",
        "worker --queue ,"
      })
  void a_name_that_is_missing_between_commas_is_refused(String command) {
    Printed printed = Printed.by(command.split(" "));

    assertThat(printed.exitCode()).isEqualTo(2);
    assertThat(printed.err()).contains("names are separated by commas, but one is missing in '");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "runs list",
        "runs get",
        "runs events",
        "runs log",
        "runs explain",
        "runs watch",
        "runs cancel",
        "runs retry",
        "runs rerun",
        "runs free-key",
        "trigger",
        "tasks list",
        "queues list",
        "queues slots",
        "queues pause",
        "queues resume",
        "workers",
        "outbox list",
        "outbox redrive",
        "alerts list",
        "alerts silence",
        "alerts unsilence",
        "actions list",
        "jobs queues",
        "jobs list",
        "jobs get",
        "jobs logs",
        "jobs retry",
        "jobs promote",
        "jobs cancel",
        "jobs remove",
        "jobs redrive",
        "jobs drain",
        "jobs pause",
        "jobs resume",
        "jobs schedules list",
        "jobs schedules remove",
        "prune",
        "doctor",
        "migrate"
      })
  void each_command_for_runs_lists_its_options_and_exit_codes(String command) {
    Printed printed = Printed.by((command + " --help").split(" "));

    assertThat(printed.exitCode()).isZero();
    assertThat(printed.out())
        .contains("Usage: runlane " + command)
        .contains("Options:", "--database", "--schema", "--json", "--help")
        .contains("Exit codes:")
        .containsPattern("(?m)^ +0 +\\w")
        .containsPattern("(?m)^ +130 +Ctrl-C");
    assertThat(printed.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void help_is_as_wide_as_the_terminal() {
    Printed wide =
        Printed.by(Map.of(), new Terminal(140, false, false, false), "runs", "list", "--help");

    assertThat(wide.out().lines()).anyMatch(line -> line.length() > 80);
  }

  @Test
  void a_command_that_is_missing_or_unknown_is_told_with_usage() {
    assertThat(Printed.by("runs").exitCode()).isEqualTo(2);
    assertThat(Printed.by("runs").err()).startsWith("a command is missing");
    assertThat(Printed.by("run").exitCode()).isEqualTo(2);
    assertThat(Printed.by("runs", "list", "--nothing").err())
        .startsWith("Unknown option: '--nothing'");
  }

  @Test
  void an_option_may_follow_what_a_command_is_about() {
    assertThat(Printed.by("runs", "get", "run_x", "--json").err())
        .startsWith("runlane: no database");
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh", "fish"})
  void a_completion_script_knows_commands_and_options(String shell) {
    Printed printed = Printed.by("completion", shell);

    assertThat(printed.exitCode()).isZero();
    assertThat(printed.out())
        .contains("explain", "rerun", "doctor", "migrate")
        .contains("concurrency-key", "dry-run");
    assertThat(Printed.by("completion", "tcsh").exitCode()).isEqualTo(2);
  }

  @Test
  void the_fish_script_has_names_of_several_letters_and_nothing_hidden() {
    String script = Printed.by("completion", "fish").out();

    assertThat(script).contains(" -l classpath -o cp ").doesNotContain("-s cp");
    assertThat(script.lines().filter(line -> line.contains("-l url")))
        .isNotEmpty()
        .noneMatch(line -> line.contains("from worker'") || line.contains("from tick'"));
  }

  @Test
  void the_bash_script_is_one_that_bash_takes() throws Exception {
    Process bash = new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
    bash.getOutputStream().write(Printed.by("completion", "bash").out().getBytes("UTF-8"));
    bash.getOutputStream().close();

    assertThat(new String(bash.getInputStream().readAllBytes(), "UTF-8")).isEmpty();
    assertThat(bash.waitFor()).isZero();
  }
}
