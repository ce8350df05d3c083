package dev.runlane.cli;

import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** What a command printed that ran in the test's own process. */
record Printed(int exitCode, String out, String err) {
  static Printed by(String... arguments) {
    return by(Map.of(), Terminal.NONE, arguments);
  }

  /** The same with these variables instead of the test's own, and for such a terminal. */
  static Printed by(Map<String, String> variables, Terminal terminal, String... arguments) {
    return by(new Interruption(), variables, terminal, arguments);
  }

  /** The same with a Ctrl-C that the test may send. */
  static Printed by(
      Interruption interruption,
      Map<String, String> variables,
      Terminal terminal,
      String... arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exitCode = RunlaneProgram.execute(
        new Commands(
            interruption,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            variables,
            terminal),
        arguments);
    return new Printed(
        exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
