package dev.runlane.testinfra;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@link PostgresMain} in a JVM of its own. */
final class ServerProgram implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  private ServerProgram(Process process) {
    this.process = process;
    this.output = process.inputReader(StandardCharsets.UTF_8);
  }

  static ServerProgram start(String... arguments) throws IOException {
    return start(List.of(), System.getProperty("java.class.path"), arguments);
  }

  /** Its output and its failure are both read from here. */
  static ServerProgram start(List<String> prefix, String classPath, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        classPath,
        PostgresMain.class.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command)
        .directory(Path.of("/").toFile())
        .redirectErrorStream(true)
        .start();
    return new ServerProgram(process);
  }

  /** The address it prints once the server runs. */
  PostgresAddress awaitAddress() throws IOException {
    String line = output.readLine();
    if (line == null || !line.startsWith("postgresql://")) {
      throw new AssertionError("no address but: " + line + "\n" + remainingOutput());
    }
    return PostgresAddress.parse(line);
  }

  /** The folder it prints after the address. */
  Path awaitFolder() throws IOException {
    String line = output.readLine();
    return Path.of(line.substring(line.indexOf("data in ") + "data in ".length()));
  }

  String remainingOutput() throws IOException {
    StringBuilder text = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      text.append(line).append('\n');
    }
    return text.toString();
  }

  long pid() {
    return process.pid();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly();
    process.waitFor();
  }

  /** Ends its standard input and waits; the exit code. */
  int finish() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(Bounds.OF_A_WAIT.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError("the program goes on after its input ended");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
