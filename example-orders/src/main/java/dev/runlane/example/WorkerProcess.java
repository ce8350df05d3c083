package dev.runlane.example;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A {@link WorkerProgram} as a child of this process. What it says is on this process's output, what it logs
 * in a file of its own.
 *
 * @param name also that of its leases in the histories
 */
record WorkerProcess(String name, Path log, Process process) {
  /** A Ctrl-C reaches the children too; when they end is for this process to say. */
  private static final String WITHOUT_CTRL_C = "trap '' INT; exec \"$0\" \"$@\"";

  private static final int SIGNALLED = 128;

  /**
   * Starts it; it works a second or two later.
   *
   * @param onto what becomes of a log that is there
   */
  static WorkerProcess spawn(
      String name, KafkaSetting setting, Path folder, Function<File, Redirect> onto)
      throws IOException {
    Path log = folder.resolve(name + ".log");
    List<String> command = List.of(
        "sh",
        "-c",
        WITHOUT_CTRL_C,
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx256m",
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        WorkerProgram.class.getName(),
        name);
    Process process = new ProcessBuilder(command)
        .redirectOutput(Redirect.INHERIT)
        .redirectError(onto.apply(log.toFile()))
        .start();
    WorkerProcess worker = new WorkerProcess(name, log, process);
    try {
      // Not an argument: those can be read by every user of the machine.
      process
          .getOutputStream()
          .write((setting.toJson().encode() + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException endedAlready) {
      process.destroyForcibly(); // its end is what is told
    }
    return worker;
  }

  long pid() {
    return process.pid();
  }

  CompletableFuture<Process> ended() {
    return process.onExit();
  }

  /** It gives back what it works on and ends. */
  void requestStop() {
    try {
      process.getOutputStream().close();
    } catch (IOException endedAlready) {
      process.destroyForcibly();
    }
  }

  void kill() {
    process.destroyForcibly();
  }

  /** How it ended, once it has. */
  String end() {
    int code = process.exitValue();
    return code > SIGNALLED
        ? "was ended by signal " + (code - SIGNALLED)
        : "ended with code " + code + ", see " + log;
  }
}
