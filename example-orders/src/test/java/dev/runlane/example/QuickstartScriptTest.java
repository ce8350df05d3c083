package dev.runlane.example;

import static java.nio.file.attribute.PosixFilePermissions.fromString;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How {@code ./quickstart} calls java where all is built: a java that prints its arguments stands in for it. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class QuickstartScriptTest {
  @TempDir
  private Path folder;

  @Test
  void libraries_may_load_their_native_code_of_which_newer_javas_warn_otherwise() throws Exception {
    List<String> arguments = start();

    assertThat(arguments)
        .contains("--enable-native-access=ALL-UNNAMED", OrdersProgram.class.getName())
        .endsWith(folder.resolve("example-orders/orders.jsonl").toString());
    assertThat(arguments.indexOf("--enable-native-access=ALL-UNNAMED"))
        .as("an option of java, not of the program")
        .isLessThan(arguments.indexOf(OrdersProgram.class.getName()));
  }

  private List<String> start() throws Exception {
    write("example-orders/orders.jsonl", "");
    write("example-orders/target/library.jar", "");
    write(
        "example-orders/target/quickstart.classpath",
        folder.resolve("example-orders/target/library.jar").toString());
    write("example-orders/target/quickstart.stamp", "");
    program("quickstart", Files.readString(Path.of("..", "quickstart")));
    program("jdk/bin/java", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    program("jdk/bin/javac", "#!/bin/sh\n");
    Path output = folder.resolve("output");
    ProcessBuilder script = new ProcessBuilder(folder.resolve("quickstart").toString())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile());
    script.environment().put("JAVA_HOME", folder.resolve("jdk").toString());
    script.environment().remove("MAVEN_ARGS");
    Process process = script.start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return Files.readAllLines(output);
  }

  private void program(String file, String text) throws IOException {
    Files.setPosixFilePermissions(write(file, text), fromString("rwxr-xr-x"));
  }

  private Path write(String file, String text) throws IOException {
    Path written = folder.resolve(file);
    Files.createDirectories(written.getParent());
    return Files.writeString(written, text);
  }
}
