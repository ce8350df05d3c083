package dev.runlane.cli;

import dev.runlane.cli.report.ExitCode;
import dev.runlane.testinfra.process.ClassArchive;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVMs on this one's class path, with what a run of the command loads archived. */
final class CommandJvm {
  /** For programs that end before C2 has compiled anything. */
  static final String SHORT = "-XX:TieredStopAtLevel=1";

  static final Path HOSTILE = Path.of("src/test/resources/hostile");

  private static final List<String> CLASSES =
      ClassArchive.options(Path.of("target"), CommandJvm::load);

  private CommandJvm() {}

  /** A command line up to the name of its program. */
  static List<String> java(String... options) {
    return java(CLASSES, options);
  }

  private static List<String> java(List<String> classes, String... options) {
    List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
    command.addAll(List.of(options));
    command.addAll(classes);
    return command;
  }

  private static void load(List<String> classes) throws IOException {
    List<String> command = java(classes, SHORT);
    command.addAll(List.of(RunlaneProgram.class.getName(), "connectors", "run"));
    command.addAll(List.of("--manifest", HOSTILE + "/manifest.json"));
    command.addAll(List.of("--", "sh", HOSTILE + "/well_behaved.sh"));
    ProcessBuilder builder = new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("HOSTILE_TOKEN", "of nobody");
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      if (process.waitFor() != ExitCode.COMPLETED.value()) {
        throw new IOException("the command ended with " + process.exitValue());
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while the command ran");
    }
  }
}
