package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.runlane.testinfra.postgres.PostgresServers;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application outside this project, made of the README's blocks, has of Runlane only what was deployed. */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class StrangerTest {
  private static final String STAGING = System.getProperty("staging.folder");
  private static final Path FIXTURE = Path.of("src", "test", "stranger");
  private static final long PATIENCE_SECONDS = 240;

  @TempDir
  private Path project;

  @Test
  void the_readme_is_built_and_run_from_what_was_deployed() throws Exception {
    assumeTrue(
        STAGING != null,
        "nothing is deployed to a folder; ./check does it, unless Maven is offline");
    Path staging = Path.of(STAGING);
    Path sources = Files.createDirectories(project.resolve("src/main/java"));
    Files.writeString(sources.resolve("OrdersVerticle.java"), blockOfReadme("java"));
    Files.copy(FIXTURE.resolve("Stranger.java"), sources.resolve("Stranger.java"));
    write("pom.xml", "<!-- the README's -->", blockOfReadme("xml"), "@staging@", uri(staging));
    Path machine = Path.of(System.getProperty("localRepository"));
    write("settings.xml", "@machine@", uri(machine));

    run("mvn", "-B", "-ntp", "-s", "settings.xml", "-Dmaven.repo.local=repository", "compile");
    String classPath = classPath();
    String output = run(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        "target/classes:" + classPath,
        "Stranger",
        PostgresServers.shared().createDatabase("stranger").toUri(),
        "" + freePort());

    assertThat(output).contains("the run has SUCCEEDED");
    assertThat(origins()).isNotEmpty().allSatisfy(line -> assertThat(line).endsWith(">staging="));
  }

  private String classPath() throws Exception {
    run(
        "mvn",
        "-B",
        "-ntp",
        "-s",
        "settings.xml",
        "-Dmaven.repo.local=repository",
        "dependency:build-classpath",
        "-Dmdep.outputFile=class-path");
    return Files.readString(project.resolve("class-path"));
  }

  /** Where Maven says that it has each file of Runlane from. */
  private List<String> origins() throws IOException {
    try (Stream<Path> files = Files.walk(project.resolve("repository/dev/runlane"))) {
      return files
          .filter(file -> file.endsWith("_remote.repositories"))
          .flatMap(StrangerTest::lines)
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException failure) {
      throw new AssertionError(file + " can't be read", failure);
    }
  }

  private static String blockOfReadme(String language) throws IOException {
    Matcher block = Pattern.compile(
            "^```" + language + "\\R(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE)
        .matcher(Files.readString(Path.of("..", "README.md")));
    assertThat(block.find()).as("a block of %s in the README", language).isTrue();
    return block.group(1);
  }

  private void write(String file, String... replacements) throws IOException {
    String text = Files.readString(FIXTURE.resolve(file));
    for (int i = 0; i < replacements.length; i += 2) {
      assertThat(text).contains(replacements[i]);
      text = text.replace(replacements[i], replacements[i + 1]);
    }
    Files.writeString(project.resolve(file), text);
  }

  private String run(String... command) throws Exception {
    Path written = project.resolve("output");
    Process process = new ProcessBuilder(command)
        .directory(project.toFile())
        .redirectErrorStream(true)
        .redirectOutput(written.toFile())
        .start();
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .as("%s ends by itself", command[0])
          .isTrue();
    } finally {
      process.destroyForcibly();
    }
    String output = Files.readString(written);
    assertThat(process.exitValue()).as(output).isZero();
    return output;
  }

  private static String uri(Path folder) {
    return folder.toAbsolutePath().toUri().toString();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
