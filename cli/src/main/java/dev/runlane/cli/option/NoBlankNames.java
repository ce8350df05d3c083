package dev.runlane.cli.option;

import java.util.Arrays;
import java.util.Map;
import java.util.Stack;
import picocli.CommandLine.IParameterPreprocessor;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Refuses a list of names in which one is missing: {@code --task ,} would be taken for no filter at all. */
public final class NoBlankNames implements IParameterPreprocessor {
  NoBlankNames() {}

  @Override
  @SuppressWarnings("JdkObsolete") // picocli's own signature
  public boolean preprocess(
      Stack<String> arguments, CommandSpec command, ArgSpec option, Map<String, Object> facts) {
    if (!arguments.isEmpty()
        && Arrays.stream(arguments.peek().split(",", -1)).anyMatch(String::isBlank)) {
      throw new ParameterException(
          command.commandLine(),
          "names are separated by commas, but one is missing in '" + arguments.peek() + "'");
    }
    return false;
  }
}
