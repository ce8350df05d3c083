package dev.runlane.cli;

import dev.runlane.cli.command.OperatorConsole;
import dev.runlane.cli.operator.OperatorCommands;
import dev.runlane.cli.run.Interruption;
import dev.runlane.cli.terminal.SafeOutput;
import dev.runlane.cli.terminal.Terminal;
import dev.runlane.timing.Clock;
import java.io.PrintStream;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Makes the commands, and hands on what they are given from outside. */
record Commands(
    Interruption interruption,
    PrintStream out,
    PrintStream err,
    Map<String, String> variables,
    Terminal terminal)
    implements IFactory {
  @Override
  public <K> K create(Class<K> type) throws Exception {
    if (type == ConnectorsRunCommand.class) {
      return type.cast(new ConnectorsRunCommand(this));
    }
    if (type == ConnectorsServeCommand.class) {
      return type.cast(new ConnectorsServeCommand(this));
    }
    Optional<K> made = OperatorCommands.create(type, console());
    return made.isPresent() ? made.get() : CommandLine.defaultFactory().create(type);
  }

  OperatorConsole console() {
    return new OperatorConsole(
        interruption,
        new SafeOutput(out),
        new SafeOutput(err),
        variables,
        terminal,
        Clock.system(),
        OperatorConsole.DEFAULT_PATIENCE);
  }
}
