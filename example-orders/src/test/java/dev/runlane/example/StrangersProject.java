package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A project of somebody else, in a folder of its own, whose Maven has of Runlane only what was deployed. */
final class StrangersProject {
  private static final String STAGING = System.getProperty("staging.folder");
  private static final Path FIXTURE = Path.of("src", "test", "stranger");
  private static final long PATIENCE_SECONDS = 240;

  private final Path folder;
  private final Path staging;

  private StrangersProject(Path folder, Path staging) {
    this.folder = folder;
    this.staging = staging;
  }

  /** An empty folder with Maven's settings; the test is left out where nothing was deployed. */
  static StrangersProject in(Path folder) throws IOException {
    assumeTrue(
        STAGING != null,
        "nothing is deployed to a folder; ./check does it, unless Maven is offline");
    StrangersProject project = new StrangersProject(folder, Path.of(STAGING));
    Path machine = Path.of(System.getProperty("localRepository"));
    project.write(
        "settings.xml",
        fixture("settings.xml")
            .replace("@machine@", uri(machine))
            .replace("@staging@", uri(project.staging)));
    project.write(
        ".mvn/maven.config",
        String.join("\n", "-B", "-ntp", "-s", "settings.xml", "-Dmaven.repo.local=repository", ""));
    return project;
  }

  static String fixture(String file) throws IOException {
    return Files.readString(FIXTURE.resolve(file));
  }

  void write(String file, String text) throws IOException {
    Path written = folder.resolve(file);
    Files.createDirectories(written.getParent());
    Files.writeString(written, text);
  }

  String read(String file) throws IOException {
    return Files.readString(folder.resolve(file));
  }

  /** What the command says; it must end well, and by itself. */
  String run(String... command) throws Exception {
    Process process = start("output", command);
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .as("%s ends by itself; it has said %s", List.of(command), read("output"))
          .isTrue();
    } finally {
      end(process);
    }
    String output = read("output");
    assertThat(process.exitValue()).as("%s said %s", List.of(command), output).isZero();
    return output;
  }

  /** A command that is not waited for; what it says is in the file. */
  Process start(String output, String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve(output).toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return builder.start();
  }

  /** Ends a command and what it started. */
  static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
    process
        .onExit()
        .orTimeout(30, TimeUnit.SECONDS)
        .handle((done, late) -> done)
        .join();
    process.destroyForcibly();
  }

  /** Whether Maven has each file of Runlane from what was deployed, under a version that each POM says itself. */
  void assertThatRunlaneWasDeployed() throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("repository/dev/runlane"))) {
      assertThat(files.filter(file -> file.toString().endsWith(".pom")))
          .isNotEmpty()
          .allSatisfy(pom -> assertThat(pom).content().doesNotContain("${revision}"));
    }
    try (Stream<Path> files = Files.walk(folder.resolve("repository/dev/runlane"))) {
      assertThat(files
              .filter(file -> file.endsWith("_remote.repositories"))
              .flatMap(StrangersProject::lines)
              .filter(line -> !line.startsWith("#")))
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).endsWith(">staging="));
    }
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException failure) {
      throw new AssertionError(file + " can't be read", failure);
    }
  }

  private static String uri(Path folder) {
    return folder.toAbsolutePath().toUri().toString();
  }
}
