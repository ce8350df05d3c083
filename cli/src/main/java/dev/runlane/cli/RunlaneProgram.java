package dev.runlane.cli;

import dev.runlane.cli.option.UsageException;
import dev.runlane.cli.report.ExitCode;
import dev.runlane.cli.run.InterruptedBefore;
import dev.runlane.cli.run.Interruption;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code runlane} command. */
@Command(
    name = "runlane",
    description = "Durable runs: what can be done from a terminal.",
    subcommands = ConnectorsCommand.class,
    mixinStandardHelpOptions = true,
    version = "runlane 0.1.0")
public final class RunlaneProgram implements Runnable {
  @Spec
  private CommandSpec spec = CommandSpec.create();

  RunlaneProgram() {}

  /** Ends the JVM with the code that the command's help explains. */
  public static void main(String[] arguments) {
    Interruption interruption = Interruption.listen();
    int code;
    try {
      code = execute(interruption, System.out, System.err, arguments);
    } finally {
      interruption.ended();
    }
    System.out.flush();
    System.exit(code);
  }

  /** Runs a command in this process. Returns its exit code. */
  static int execute(
      Interruption interruption, PrintStream out, PrintStream err, String... arguments) {
    CommandLine line = new CommandLine(new RunlaneProgram(), new Commands(interruption, out, err));
    line.setOut(new PrintWriter(out, true, Charset.defaultCharset()));
    line.setErr(new PrintWriter(err, true, Charset.defaultCharset()));
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setStopAtPositional(true);
    line.setExecutionExceptionHandler((failure, command, parsed) -> {
      if (failure instanceof UsageException) {
        err.println("runlane: " + failure.getMessage());
        return ExitCode.USAGE.value();
      }
      if (failure instanceof InterruptedBefore || interruption.isAsked()) {
        err.println("runlane: " + failure.getMessage());
        return ExitCode.INTERRUPTED.value();
      }
      throw failure;
    });
    return line.execute(arguments);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
