package dev.runlane.example;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.testinfra.postgres.PostgresServers;
import dev.runlane.testinfra.process.FreePort;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Programs that are named modules, compiled and run on the module path. */
@Tag("slow")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ModulePathTest {
  private static final Path RUNTIME = Path.of("..", "runtime-verticles");
  private static final Path PROGRAMS = Path.of("src", "test", "modules");
  private static final Pattern DESCRIPTOR =
      Pattern.compile("^```java\\R(module .*?)^```", Pattern.DOTALL | Pattern.MULTILINE);
  private static final String NAMED_BY_ITS_MANIFEST = "cron-utils-";
  private static final long PATIENCE_SECONDS = 180;

  /** All modules on this test's class path, of this project and of others. */
  private static final String MODULE_PATH = Stream.of(
          System.getProperty("java.class.path").split(File.pathSeparator))
      .map(Path::of)
      .filter(ModulePathTest::isModule)
      .map(Path::toString)
      .collect(joining(File.pathSeparator));

  @TempDir
  private Path folder;

  @Test
  void the_application_of_the_readme_runs_as_the_module_that_is_shown_there() throws Exception {
    Path descriptor = folder.resolve("module-info.java");
    Matcher shown = DESCRIPTOR.matcher(Files.readString(RUNTIME.resolve("README.md")));
    assertThat(shown.find()).as("the README shows a module").isTrue();
    Files.writeString(descriptor, shown.group(1));
    compile(
        descriptor,
        RUNTIME.resolve("src/test/java/com/example/orders/OrdersVerticle.java"),
        PROGRAMS.resolve("com.example.orders/com/example/orders/OrdersProgram.java"));

    String output = output(
        "com.example.orders/com.example.orders.OrdersProgram", database(), "" + FreePort.find());

    assertThat(output).contains("the run has SUCCEEDED");
  }

  @Test
  void every_store_finds_its_statements_and_migrations() throws Exception {
    Path program = PROGRAMS.resolve("com.example.stores");
    compile(
        program.resolve("module-info.java"),
        program.resolve("com/example/stores/StoresProgram.java"));

    String output = output("com.example.stores/com.example.stores.StoresProgram", database());

    assertThat(output).contains("every store was open");
  }

  private void compile(Path... sources) {
    List<String> arguments =
        new ArrayList<>(List.of("-Xlint:all,-classfile,-path", "-Werror", "-parameters"));
    arguments.addAll(List.of("-p", MODULE_PATH, "-d", classes()));
    Stream.of(sources).map(Path::toString).forEach(arguments::add);
    int failed = ToolProvider.findFirst("javac")
        .orElseThrow()
        .run(System.out, System.err, arguments.toArray(String[]::new));

    assertThat(failed).as("javac %s", arguments).isZero();
  }

  private String output(String program, String... arguments) throws Exception {
    Path written = folder.resolve("output");
    List<String> command = new ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-p", classes() + File.pathSeparator + MODULE_PATH, "-m", program));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(written.toFile())
        .start();
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .as("%s ends by itself", program)
          .isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(written);
  }

  private String classes() {
    return folder.resolve("classes").toString();
  }

  private static boolean isModule(Path entry) {
    if (Files.isDirectory(entry)) {
      return Files.exists(entry.resolve("module-info.class"));
    }
    try (JarFile jar =
        new JarFile(entry.toFile(), false, ZipFile.OPEN_READ, JarFile.runtimeVersion())) {
      return jar.getJarEntry("module-info.class") != null
          || entry.getFileName().toString().startsWith(NAMED_BY_ITS_MANIFEST);
    } catch (IOException unreadable) {
      throw new UncheckedIOException("cannot read " + entry, unreadable);
    }
  }

  private static String database() {
    return PostgresServers.shared().createDatabase("modules").toUri();
  }
}
