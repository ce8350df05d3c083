package dev.runlane.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./runlane} does before it is the command, with a Maven that only writes down that it was called. */
@Tag("slow")
@DisplayName("the build of the command")
@DisplayNameGeneration(ReplaceUnderscores.class)
class BuildOfCommandTest {
  private static final long SECONDS = 60;

  @TempDir
  private Path project;

  private final List<Process> processes = new ArrayList<>();

  @BeforeEach
  void make() throws IOException {
    Files.createDirectories(project.resolve("cli/target"));
    Files.copy(
        Path.of("../runlane"), project.resolve("runlane"), StandardCopyOption.COPY_ATTRIBUTES);
    Path bin = Files.createDirectory(project.resolve("bin"));
    Path maven = Files.writeString(bin.resolve("mvn"), """
        #!/bin/sh
        echo "$*" >> builds
        while [ ! -e go ]; do sleep 0.05; done
        echo "$PWD/bin" > cli/target/runlane.classpath
        """);
    assertThat(maven.toFile().setExecutable(true)).isTrue();
  }

  @AfterEach
  void end() {
    for (Process process : processes) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void is_one_where_two_are_started_at_once() throws Exception {
    Process first = start("first", "");
    await("the first builds", () -> builds().size() == 1);
    Process second = start("second", "");
    await("the second waits", () -> said("second").contains("waiting for another build"));

    Files.createFile(project.resolve("go"));
    awaitEnd(first);
    awaitEnd(second);

    assertThat(builds()).hasSize(1);
    assertThat(said("first")).startsWith("Building the runlane command\n");
    assertThat(said("second")).startsWith("runlane: waiting for another build\n");
  }

  @Test
  void is_made_again_where_the_build_before_was_killed() throws Exception {
    Process killed = start("killed", "");
    await("it builds", () -> builds().size() == 1);
    killed.descendants().forEach(ProcessHandle::destroyForcibly);
    killed.destroyForcibly();
    awaitEnd(killed);
    Files.createFile(project.resolve("go"));

    awaitEnd(start("next", ""));

    assertThat(builds()).hasSize(2);
    assertThat(said("next")).startsWith("Building the runlane command\n");
  }

  @Test
  void is_made_anew_for_other_arguments_of_maven_alone() throws Exception {
    Files.createFile(project.resolve("go"));

    awaitEnd(start("plain", ""));
    awaitEnd(start("plain again", ""));
    assertThat(builds()).hasSize(1);
    awaitEnd(start("other", "-Dembedded-postgres.version=14"));
    awaitEnd(start("other again", "-Dembedded-postgres.version=14"));

    assertThat(builds()).hasSize(2);
    assertThat(builds().get(1)).contains("-Dembedded-postgres.version=14");
  }

  /** There is no class of the command on that class path: once it is built it ends by itself. */
  private Process start(String name, String mavenArguments) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(
            "bash", project.resolve("runlane").toString())
        .redirectErrorStream(true)
        .redirectOutput(project.resolve(name).toFile());
    builder.environment().merge("PATH", project.resolve("bin") + ":", (path, bin) -> bin + path);
    builder.environment().put("MAVEN_ARGS", mavenArguments);
    Process process = builder.start();
    processes.add(process);
    process.getOutputStream().close();
    return process;
  }

  private List<String> builds() {
    return Files.exists(project.resolve("builds")) ? said("builds").lines().toList() : List.of();
  }

  private String said(String name) {
    try {
      return Files.readString(project.resolve(name), UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void awaitEnd(Process process) throws InterruptedException {
    assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }
}
