package dev.runlane.drills.process;

import dev.runlane.testinfra.process.FrozenProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A JVM whose program ends when this process does. Made by {@link Drill}, which kills what is left at
 * its end.
 */
public final class JavaProcess implements AutoCloseable {
  private static final List<String> JVM_OPTIONS =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx192m", "-Xss512k");
  private static final Duration KILL = Duration.ofSeconds(20);

  private final String name;
  private final Process process;
  private final Output output;

  private JavaProcess(String name, Process process, Output output) {
    this.name = name;
    this.process = process;
    this.output = output;
  }

  /**
   * Starts the program of this name; its output goes to {@code folder/name.log}.
   *
   * @param classes options of the JVM that say where its classes are
   */
  public static JavaProcess start(
      Path folder, String name, List<String> classes, String program, List<String> arguments) {
    try {
      List<String> words = new ArrayList<>(JVM_OPTIONS);
      words.addAll(classes);
      words.add(program);
      words.addAll(arguments);
      Path file = folder.resolve(name + ".args");
      Files.write(file, words.stream().map(JavaProcess::quoted).toList(), StandardCharsets.UTF_8);
      Process process =
          new ProcessBuilder(java(), "@" + file).redirectErrorStream(true).start();
      Output output = new Output(folder.resolve(name + ".log"));
      output.follow(name, process.getInputStream());
      return new JavaProcess(name, process, output);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static String quoted(String word) {
    return '"' + word.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  public String name() {
    return name;
  }

  public Output output() {
    return output;
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Waits for a line the program tells. Throws {@code AssertionError} when it ends without. */
  public String awaitLine(String start, Duration atMost) {
    return output
        .await(line -> line.startsWith(start), atMost)
        .orElseThrow(() -> new AssertionError(name + " ended before it told: " + start));
  }

  /** The last line told that starts so. */
  public Optional<String> lastLine(String start) {
    return output.told().stream().filter(line -> line.startsWith(start)).reduce((a, b) -> b);
  }

  /** Sends the program a line; one that has ended does not hear it. */
  public void send(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException gone) {
      System.out.println(name + " does not listen: " + gone.getMessage());
    }
  }

  /** SIGKILL; returns when the process is gone. */
  public void kill() {
    process.toHandle().destroyForcibly(); // Process.destroy would close its streams as well
    awaitExit(KILL);
  }

  /** SIGTERM; returns at once. */
  public void terminate() {
    process.toHandle().destroy();
  }

  /** Waits for the end and answers the exit code. */
  public int awaitExit(Duration atMost) {
    try {
      if (!process.waitFor(atMost.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError(
            name + " did not end within " + atMost + ", and told:\n" + output.tail());
      }
      return process.exitValue();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while " + name + " ends", interrupted);
    }
  }

  /** SIGSTOP, until the result is closed or this JVM dies. */
  public FrozenProcess pause() {
    return FrozenProcess.alone(process.pid());
  }

  @Override
  public void close() {
    kill();
  }
}
