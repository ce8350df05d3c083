package dev.runlane.cli;

import dev.runlane.cli.run.Interruption;
import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Makes the commands, and hands on what they are given from outside. */
record Commands(Interruption interruption, PrintStream out, PrintStream err) implements IFactory {
  @Override
  public <K> K create(Class<K> type) throws Exception {
    if (type == ConnectorsRunCommand.class) {
      return type.cast(new ConnectorsRunCommand(this));
    }
    return type == ConnectorsServeCommand.class
        ? type.cast(new ConnectorsServeCommand(this))
        : CommandLine.defaultFactory().create(type);
  }
}
