package dev.runlane.storage.pg.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.billing.InvoicesProgram;
import io.vertx.core.Vertx;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's application, in a process with neither Vert.x nor Netty on its class path. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class WithoutVertxTest {
  @TempDir
  private Path folder;

  @Test
  void an_application_without_vertx_triggers_in_its_own_transactions() throws Exception {
    JdbcDatabase database = JdbcDatabase.create("without_vertx");
    Vertx vertx = Vertx.vertx();
    database.migrate(vertx);
    vertx.close().await(60, TimeUnit.SECONDS);
    database.execute("CREATE TABLE invoices (number integer)");

    assertThat(run(
            InvoicesProgram.class.getName(),
            database.url(),
            database.address().user(),
            database.address().password()))
        .isEqualTo("""
            CREATED
            IDEMPOTENT_EXISTING
            CREATED
            CONFIGURATION_INVALID
            VALIDATION_FAILED
            no Vert.x
            """);
    assertThat(database.column("SELECT count(*) FROM runlane.active_runs")).containsExactly("2");
    assertThat(database.column("SELECT number FROM invoices")).containsExactly("7", "7");
  }

  @Test
  void the_readme_shows_the_application() throws Exception {
    String source = Files.readString(Path.of("src/test/java/com/example/billing/Invoices.java"));
    String shown = Files.readString(Path.of("README.md"))
        .replaceFirst("(?s).*?```java\n", "")
        .replaceFirst("(?s)```.*", "");

    assertThat(source).contains(shown);
  }

  private String run(String... arguments) throws Exception {
    String classPath = Arrays.stream(
            System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.matches(".*/io/(vertx|netty)/.*"))
        .collect(Collectors.joining(File.pathSeparator));
    assertThat(classPath).contains("postgresql").doesNotContain("vertx-core");
    Path output = folder.resolve("output");
    java.util.List<String> command = new java.util.ArrayList<>(java.util.List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        classPath));
    command.addAll(Arrays.asList(arguments));
    Process process = new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
    return Files.readString(output);
  }
}
