package dev.runlane.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.example.threads.InvoicesProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Code that blocks from end to end, on a Java with virtual threads, where one is installed beside this one. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class VirtualThreadsTest {
  private static final Path INSTALLED = Path.of("/usr/lib/jvm");
  private static final Pattern VERSION = Pattern.compile("JAVA_VERSION=\"([0-9]+)");
  private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

  @TempDir
  private Path folder;

  @Test
  void caller_and_handler_block_on_virtual_threads() throws Exception {
    Optional<Path> java = java();
    assumeTrue(java.isPresent(), "no Java 21 or newer is here");

    Path output = folder.resolve("output");
    Process process = new ProcessBuilder(
            java.get().toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            InvoicesProgram.class.getName())
        .redirectErrorStream(true)
        .redirectOutput(output.toFile())
        .start();
    try {
      assertThat(process.waitFor(90, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(Files.readString(output))
        .contains("caller on VirtualThread")
        .contains("handler on VirtualThread")
        .contains("SUCCEEDED after 2 attempts");
  }

  /** The newest. */
  private static Optional<Path> java() throws IOException {
    if (Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS) {
      return Optional.of(Path.of(System.getProperty("java.home"), "bin", "java"));
    }
    if (!Files.isDirectory(INSTALLED)) {
      return Optional.empty();
    }
    try (Stream<Path> homes = Files.list(INSTALLED)) {
      return homes
          .filter(home -> version(home) >= FIRST_WITH_VIRTUAL_THREADS)
          .max(Comparator.comparingInt(VirtualThreadsTest::version))
          .map(home -> home.resolve("bin").resolve("java"));
    }
  }

  private static int version(Path home) {
    try {
      Matcher version = VERSION.matcher(Files.readString(home.resolve("release")));
      return version.find() && Files.isExecutable(home.resolve("bin").resolve("java"))
          ? Integer.parseInt(version.group(1))
          : 0;
    } catch (IOException none) {
      return 0; // not a JDK
    }
  }
}
