package dev.runlane.connector.process;

import dev.runlane.run.RunlaneException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A program to start, in whatever language it is written. Secrets belong into the environment: command lines
 * are readable by everybody on the machine.
 *
 * @param command the program and its arguments, at least the program; one without a slash is looked up in the
 *     {@code PATH} of {@code environment}, one with a slash from the working directory
 * @param workingDirectory where it starts; must exist then
 * @param environment all that it sees of the environment, made by {@link ChildEnvironment}
 * @param user whom it runs as, or null for the controller's own user
 */
public record ChildCommand(
    List<String> command,
    Path workingDirectory,
    Map<String, String> environment,
    @Nullable ChildUser user) {
  /** Copies; throws {@code ConfigurationInvalid} for an empty command and for texts a process cannot be given. */
  public ChildCommand {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
    if (command.isEmpty() || command.get(0).isEmpty()) {
      throw RunlaneException.configurationInvalid("a command needs a program, but names none");
    }
    if (command.stream().anyMatch(part -> part.indexOf('\0') >= 0)) {
      throw RunlaneException.configurationInvalid(
          "the command of %s has an argument with NUL", command.get(0));
    }
    environment.forEach(ChildEnvironment::requireVariable);
  }

  /** One that runs as the controller's own user. */
  public ChildCommand(
      List<String> command, Path workingDirectory, Map<String, String> environment) {
    this(command, workingDirectory, environment, null);
  }

  /** Arguments and values of the environment may be secret and are left out. */
  @Override
  public String toString() {
    return "ChildCommand[" + command.get(0) + " in " + workingDirectory + "]";
  }
}
