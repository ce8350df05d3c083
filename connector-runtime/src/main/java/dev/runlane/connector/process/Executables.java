package dev.runlane.connector.process;

import dev.runlane.run.RunlaneException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds out before a start what the shell would only say by an exit code. Blocks. */
final class Executables {
  private Executables() {}

  /** Throws {@code ConfigurationInvalid} for a working directory or a program that is not there. */
  static void require(ChildCommand command) {
    Path directory = command.workingDirectory();
    if (!Files.isDirectory(directory)) {
      throw RunlaneException.configurationInvalid("there is no working directory %s", directory);
    }
    String program = command.command().get(0);
    if (!isThere(program, command)) {
      throw RunlaneException.configurationInvalid(
          "there is no program %s that may be executed, seen from %s", program, directory);
    }
  }

  private static boolean isThere(String program, ChildCommand command) {
    if (program.indexOf('/') >= 0) {
      return isProgram(command.workingDirectory().resolve(program));
    }
    String path = command.environment().getOrDefault("PATH", "");
    for (String folder : path.split(File.pathSeparator, -1)) {
      if (!folder.isEmpty() && isProgram(Path.of(folder, program))) {
        return true;
      }
    }
    return false;
  }

  private static boolean isProgram(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }
}
