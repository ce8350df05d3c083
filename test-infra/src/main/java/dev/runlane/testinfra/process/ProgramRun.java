package dev.runlane.testinfra.process;

import dev.runlane.testinfra.ServerException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A short program that ran to its end.
 *
 * @param exitCode 0 if it succeeded
 * @param output what it wrote to both its streams, without the white space around it
 */
public record ProgramRun(int exitCode, String output) {
  /** What {@code env} answers for a command that can't be found. */
  private static final int NOT_FOUND = 127;

  public boolean succeeded() {
    return exitCode == 0;
  }

  /** Runs a command; one that does not exist counts as failed with exit code 127. */
  public static ProgramRun of(List<String> command, Duration timeout) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().put("LC_ALL", "C");
    // The current folder may be one that the server's user can't enter.
    builder.directory(Path.of("/").toFile());
    Process process;
    try {
      process = builder.start();
    } catch (IOException missing) {
      return new ProgramRun(NOT_FOUND, String.valueOf(missing.getMessage()));
    }
    // Ends the program when it hangs, and with it the reading below.
    process.onExit().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).exceptionally(late -> {
      process.destroyForcibly();
      return process;
    });
    try (InputStream output = process.getInputStream()) {
      process.getOutputStream().close();
      String text = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
      return new ProgramRun(process.waitFor(), text);
    } catch (IOException failure) {
      process.destroyForcibly();
      throw new ServerException(command.get(0) + " could not be read", failure);
    } catch (InterruptedException interrupted) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new ServerException("interrupted while " + command.get(0) + " ran", interrupted);
    }
  }
}
