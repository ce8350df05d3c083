package dev.runlane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("runs one after another in one process")
@DisplayNameGeneration(ReplaceUnderscores.class)
class LeaksTest {
  private static final int ROUNDS = 5;
  private static final List<String> SCRIPTS = List.of(
      "well_behaved.sh", "output_after_done.sh", "endless_noise.sh", "killed.sh", "fork_bomb.sh");

  @Test
  void leave_no_file_descriptor_and_no_process_behind() throws IOException {
    runAll(); // what is loaded once stays open
    long before = openFiles();

    for (int round = 0; round < ROUNDS; round++) {
      runAll();
    }

    assertThat(openFiles()).isLessThanOrEqualTo(before);
    assertThat(ProcessHandle.current().descendants()).isEmpty();
  }

  private static void runAll() {
    for (String script : SCRIPTS) {
      Printed printed = Printed.by(
          "connectors",
          "run",
          "--no-interaction",
          "--manifest",
          CommandRun.HOSTILE.resolve("manifest.json").toString(),
          "--",
          "sh",
          CommandRun.HOSTILE.resolve(script).toString());
      assertThat(printed.out()).as(printed.err()).contains("The run ");
    }
  }

  private static long openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files.count();
    }
  }
}
