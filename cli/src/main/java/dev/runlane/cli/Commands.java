package dev.runlane.cli;

import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.IFactory;

/** Makes the commands, and hands on what they are given from outside. */
record Commands(Interruption interruption, PrintStream out, PrintStream err) implements IFactory {
  @Override
  public <K> K create(Class<K> type) throws Exception {
    return type == ConnectorsRunCommand.class
        ? type.cast(new ConnectorsRunCommand(this))
        : CommandLine.defaultFactory().create(type);
  }
}
