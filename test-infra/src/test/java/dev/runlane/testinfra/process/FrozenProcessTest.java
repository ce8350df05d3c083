package dev.runlane.testinfra.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class FrozenProcessTest {
  private static final Duration BOUND = Duration.ofSeconds(30);

  private final Process shell = started();

  private static Process started() {
    try {
      return new ProcessBuilder(List.of("sh", "-c", "sleep 600 & echo $!; wait")).start();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @AfterEach
  void end() throws Exception {
    shell.descendants().forEach(ProcessHandle::destroyForcibly);
    shell.destroyForcibly();
    assertThat(shell.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void a_process_and_its_children_stand_still_until_it_is_closed() throws Exception {
    long child = Long.parseLong(shell.inputReader(StandardCharsets.UTF_8).readLine());

    try (FrozenProcess frozen = FrozenProcess.withChildren(shell.pid())) {
      assertThat(Poll.until(BOUND, () -> isStopped(shell.pid()) && isStopped(child)))
          .as("%s", frozen)
          .isTrue();
    }

    assertThat(Poll.until(BOUND, () -> !isStopped(shell.pid()) && !isStopped(child)))
        .isTrue();
  }

  @Test
  void a_process_that_has_ended_is_not_said_to_stand_still() throws Exception {
    end();

    assertThatThrownBy(() -> FrozenProcess.alone(shell.pid()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(String.valueOf(shell.pid()));
  }

  private static boolean isStopped(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
    } catch (IOException gone) {
      throw new UncheckedIOException(gone);
    }
  }
}
