package dev.runlane.example;

import dev.runlane.testinfra.folder.FolderTree;
import dev.runlane.testinfra.process.ClassArchive;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** The program as a process of its own. */
final class ProgramRun implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 300;
  private static final int TRAINING_ORDERS = 5;

  /** What java adds to its options, and says so; the program hands it on to the processes that it starts. */
  private static final String OPTIONS = "JDK_JAVA_OPTIONS";

  private static final List<String> CLASSES =
      ClassArchive.options(Path.of("target"), ProgramRun::load);

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final CompletableFuture<Void> outputEnded;

  private ProgramRun(Process process) {
    this.process = process;
    outputEnded = CompletableFuture.runAsync(this::readOutput, command -> {
      Thread reader = new Thread(command, "output of " + process.pid());
      reader.setDaemon(true);
      reader.start();
    });
  }

  /** Starts it on a data folder. */
  static ProgramRun start(Path data, Path orders, String... options) {
    List<String> arguments = new ArrayList<>(List.of("--data", data.toString()));
    arguments.addAll(List.of(options));
    arguments.add(orders.toString());
    return start(arguments);
  }

  static ProgramRun start(List<String> arguments) {
    ProcessBuilder program = program(CLASSES, arguments);
    program
        .environment()
        .put(OPTIONS, String.join(" ", CLASSES.subList(0, CLASSES.indexOf("-cp"))));
    return start(program);
  }

  private static ProgramRun start(ProcessBuilder program) {
    try {
      return new ProgramRun(program.start());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static ProcessBuilder program(List<String> classes, List<String> arguments) {
    List<String> command = new ArrayList<>();
    if (Files.isExecutable(Path.of("/usr/bin/env"))) {
      // A build that runs in the background would hand its ignored SIGINT on.
      command.addAll(List.of("/usr/bin/env", "--default-signal=INT"));
    }
    command.addAll(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC"));
    command.addAll(classes);
    command.add(OrdersProgram.class.getName());
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  /** Loads what a start on the sample loads, of which the first orders are enough. */
  private static void load(List<String> classes) throws IOException {
    Path folder = Files.createTempDirectory("runlane-orders-");
    try {
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      Path few = Files.write(
          folder.resolve("few.jsonl"),
          Files.readAllLines(Path.of("orders.jsonl")).subList(0, TRAINING_ORDERS));
      List<String> arguments = List.of("--data", folder.resolve("data").toString(), few.toString());
      try (ProgramRun run = start(program(classes, arguments))) {
        if (run.exitCode() != 0) {
          throw new IOException("the program failed: " + run.output());
        }
      }
    } finally {
      FolderTree.delete(folder);
    }
  }

  private void readOutput() {
    try (BufferedReader reader = new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        if (line.contains(OPTIONS)) {
          continue;
        }
        synchronized (lines) {
          lines.add(line);
          lines.notifyAll();
        }
      }
    } catch (IOException closed) {
      throw new UncheckedIOException(closed);
    }
  }

  /** Waits until it has said such a line. */
  ProgramRun awaitLine(Predicate<String> wanted) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    synchronized (lines) {
      while (lines.stream().noneMatch(wanted)) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0 || outputEnded.isDone()) {
          throw new AssertionError("the line never came: " + lines);
        }
        waitFor(Math.min(left, 1_000));
      }
    }
    return this;
  }

  private void waitFor(long millis) {
    try {
      lines.wait(millis);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    }
  }

  /** Sends a signal by name, such as {@code INT}. */
  ProgramRun signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
        .inheritIO()
        .start();
    if (kill.waitFor() != 0) {
      throw new AssertionError("the process has ended already: " + output());
    }
    return this;
  }

  /** Its exit code, once it has ended and everything it said is read. */
  int exitCode() {
    try {
      outputEnded.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      return process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(interrupted);
    } catch (ExecutionException | TimeoutException failure) {
      throw new AssertionError("the program did not end: " + output(), failure);
    }
  }

  /** What it has said so far, on both streams. */
  List<String> output() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  /** Kills it, and waits until what it had started has ended too, which writes into its folder till then. */
  @Override
  public void close() {
    List<ProcessHandle> started = process.descendants().toList();
    process.destroyForcibly();
    for (ProcessHandle each : started) {
      try {
        each.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException(interrupted);
      } catch (ExecutionException | TimeoutException failure) {
        throw new AssertionError(each.info() + " outlives the program", failure);
      }
    }
  }
}
