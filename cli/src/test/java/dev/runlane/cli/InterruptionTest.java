package dev.runlane.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.report.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
@DisplayName("Ctrl-C")
@DisplayNameGeneration(ReplaceUnderscores.class)
class InterruptionTest {
  private static final String MANIFEST =
      CommandRun.HOSTILE.resolve("manifest.json").toString();
  private static final int SECONDS = 60;

  @TempDir
  private Path folder;

  private Process process;

  @AfterEach
  void end() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void while_the_command_is_built_says_so_in_one_line() throws Exception {
    Path building = folder.resolve("building");
    Path project = projectWith("echo $$ > " + building + "; exec sleep 600");
    start(List.of("bash", project.resolve("runlane").toString(), "connectors", "run"), project);
    assertThat(waitUntil(() -> Files.exists(building) && !read(building).isBlank()))
        .isTrue();

    interruptGroup();

    assertThat(said())
        .isEqualTo("Building the runlane command\nrunlane: interrupted while building\n");
    assertThat(process.exitValue()).isEqualTo(ExitCode.INTERRUPTED.value());
    long build = Long.parseLong(read(building).strip());
    assertThat(waitUntil(
            () -> ProcessHandle.of(build).filter(ProcessHandle::isAlive).isEmpty()))
        .as("the build ends")
        .isTrue();
  }

  @Test
  void before_anything_is_started_says_so_in_one_line() throws Exception {
    Path manifest = folder.resolve("manifest.fifo");
    assertThat(new ProcessBuilder("mkfifo", manifest.toString()).start().waitFor())
        .isZero();
    start(program(manifest.toString(), "touch " + folder.resolve("started")), folder);
    CompletableFuture<Void> read = CompletableFuture.runAsync(
        () -> { // opens once the command reads, which then waits
          try (var pipe = Files.newOutputStream(manifest)) {
            interruptGroup();
            assertThat(waitUntil(this::isInterrupted)).isTrue();
            Files.copy(Path.of(MANIFEST), pipe);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        },
        work -> new Thread(work).start());

    assertThat(said()).isEqualTo("runlane: interrupted before anything was started\n");
    read.get(SECONDS, TimeUnit.SECONDS);
    assertThat(process.exitValue()).isEqualTo(ExitCode.INTERRUPTED.value());
    assertThat(folder.resolve("started")).doesNotExist();
  }

  @Test
  void while_the_connector_asks_cancels_its_run() throws Exception {
    try (CommandRun run = CommandRun.of(List.of("--interaction", "ask"), "asks.sh")) {
      run.awaitEvent("run.interaction_required").interrupt();
      assertCancelled(run);
    }
  }

  @Test
  void while_the_connector_leaves_cancels_its_run() throws Exception {
    try (CommandRun run = CommandRun.of(List.of(), "never_exits.sh")) {
      run.awaitEvent("run.state_staged").interrupt();
      assertCancelled(run);
    }
  }

  private static void assertCancelled(CommandRun run) throws Exception {
    assertThat(run.exitCode()).isEqualTo(ExitCode.INTERRUPTED.value());
    assertThat(run.summary().path("status").asText()).isEqualTo("cancelled");
    assertThat(run.printed()).doesNotContain("Exception", "\tat ");
    run.assertOneEndAndNothingLeft();
  }

  /** A project of the command alone, that has to be built by {@code mvn}. */
  private Path projectWith(String mvn) throws IOException {
    Path project = Files.createDirectory(folder.resolve("project"));
    Files.createDirectories(project.resolve("cli/target"));
    Files.copy(
        Path.of("../runlane"), project.resolve("runlane"), StandardCopyOption.COPY_ATTRIBUTES);
    Path bin = Files.createDirectory(project.resolve("bin"));
    Path program = Files.writeString(bin.resolve("mvn"), "#!/bin/sh\n" + mvn + "\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return project;
  }

  private static List<String> program(String manifest, String script) {
    List<String> command = CommandJvm.java(CommandJvm.SHORT);
    command.addAll(List.of(
        RunlaneProgram.class.getName(),
        "connectors",
        "run",
        "--manifest",
        manifest,
        "--",
        "sh",
        "-c",
        script));
    return command;
  }

  /**
   * Starts a group of its own, as a terminal does; a build that runs in the background would hand its ignored
   * SIGINT on.
   */
  private void start(List<String> command, Path project) throws IOException {
    List<String> all = new ArrayList<>(List.of("setsid", "/usr/bin/env", "--default-signal=INT"));
    all.addAll(command);
    ProcessBuilder builder = new ProcessBuilder(all).redirectErrorStream(true);
    builder.environment().merge("PATH", project.resolve("bin") + ":", (path, bin) -> bin + path);
    process = builder.start();
    process.getOutputStream().close();
  }

  private void interruptGroup() {
    try {
      assertThat(new ProcessBuilder("/bin/sh", "-c", "kill -s INT -- -" + process.pid())
              .start()
              .waitFor())
          .isZero();
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private String said() throws Exception {
    CompletableFuture.delayedExecutor(SECONDS, TimeUnit.SECONDS)
        .execute(process::destroyForcibly); // so that a command that hangs fails its test
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    process.waitFor();
    return said;
  }

  /** The thread that a JVM runs when it is told to end has begun. */
  private boolean isInterrupted() {
    try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
      return threads.anyMatch(thread -> read(thread.resolve("comm")).startsWith("interruption"));
    } catch (IOException gone) {
      return false;
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException gone) {
      return "";
    }
  }

  private static boolean waitUntil(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(5_000_000);
    }
    return true;
  }
}
