package dev.runlane.cli;

import dev.runlane.cli.operator.OperatorCommands;
import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.report.ExitCode;
import dev.runlane.cli.run.InterruptedBefore;
import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.PlainText;
import dev.runlane.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code runlane} command. */
@Command(
    name = "runlane",
    description = "Durable runs: what can be done from a terminal.",
    subcommands = {CompletionCommand.class, ConnectorsCommand.class},
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    synopsisSubcommandLabel = "COMMAND",
    footerHeading = "%n",
    footer = {
      "The database is named by RUNLANE_DATABASE, a file that RUNLANE_DATABASE_FILE names, or options;"
          + " a console to ask instead by RUNLANE_URL or --url. `runlane COMMAND --help` tells more."
    },
    mixinStandardHelpOptions = true,
    version = "runlane 0.1.0")
public final class RunlaneProgram implements Runnable {
  private static final int NARROWEST_HELP = 60;

  @Spec
  private CommandSpec spec = CommandSpec.create();

  RunlaneProgram() {}

  /** Ends the JVM with the code that the command's help explains. */
  public static void main(String[] arguments) {
    if (!"i".toUpperCase(Locale.getDefault()).equals("I")) {
      // Of Turkish: vertx-openapi 5.0.8 writes names of its own in capitals by the language of the
      // machine.
      Locale.setDefault(Locale.ROOT);
    }
    Interruption interruption = Interruption.listen();
    int code;
    try {
      Map<String, String> variables = System.getenv();
      code = execute(
          new Commands(
              interruption, System.out, System.err, variables, Terminal.ofProcess(variables)),
          arguments);
    } finally {
      interruption.ended();
    }
    System.out.flush();
    System.exit(code);
  }

  /** Runs a command in this process. Returns its exit code. */
  static int execute(Commands surroundings, String... arguments) {
    CommandLine line = line(surroundings, arguments.length == 0 ? "" : arguments[0]);
    line.setExecutionExceptionHandler((failure, command, parsed) -> {
      if (failure instanceof UsageException) {
        surroundings
            .err()
            .println("runlane: " + PlainText.oneLine(String.valueOf(failure.getMessage())));
        return ExitCode.USAGE.value();
      }
      if (failure instanceof InterruptedBefore || surroundings.interruption().isAsked()) {
        surroundings
            .err()
            .println("runlane: " + PlainText.oneLine(String.valueOf(failure.getMessage())));
        return ExitCode.INTERRUPTED.value();
      }
      throw failure;
    });
    int code = line.execute(arguments);
    return surroundings.out().checkError() ? unwritten(surroundings) : code;
  }

  /** A full disk is told; a reader who has left, as {@code head} does, wants nothing more. */
  private static int unwritten(Commands surroundings) {
    if (surroundings.terminal().isPipe()) {
      return ExitCode.READER_LEFT.value();
    }
    surroundings.err().println("runlane: standard output could not be written");
    return ExitCode.FAILED.value();
  }

  /** The tree of commands, as far as this first argument needs it. */
  private static CommandLine line(Commands surroundings, String first) {
    CommandLine line = new CommandLine(new RunlaneProgram(), surroundings);
    operatorCommands(first).forEach(line::addSubcommand);
    line.setOut(new PrintWriter(surroundings.out(), true, Charset.defaultCharset()));
    line.setErr(new PrintWriter(surroundings.err(), true, Charset.defaultCharset()));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    if (surroundings.terminal().columns() > 0) {
      line.setUsageHelpWidth(Math.max(NARROWEST_HELP, surroundings.terminal().columns()));
    }
    line.setColorScheme(CommandLine.Help.defaultColorScheme(
        surroundings.terminal().hasColour()
            ? CommandLine.Help.Ansi.ON
            : CommandLine.Help.Ansi.OFF));
    // What follows a connector's program is that program's.
    subcommand(subcommand(line, "connectors"), "run").setStopAtPositional(true);
    // An option that takes @FILE reads it as it is: words of a payload are no options of a command.
    line.setExpandAtFiles(false);
    return line;
  }

  /** The one that is named: to make all of them takes longer than many commands. Else all, to be listed. */
  private static List<Class<?>> operatorCommands(String first) {
    if (isNamed(ConnectorsCommand.class, first)) {
      return List.of();
    }
    List<Class<?>> named =
        OperatorCommands.TOP.stream().filter(type -> isNamed(type, first)).toList();
    return named.isEmpty() ? OperatorCommands.TOP : named;
  }

  private static boolean isNamed(Class<?> command, String name) {
    return Objects.requireNonNull(command.getAnnotation(Command.class)).name().equals(name);
  }

  private static CommandLine subcommand(CommandLine line, String name) {
    return Objects.requireNonNull(line.getSubcommands().get(name), name);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
