package dev.runlane.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("the line that shows progress")
@DisplayNameGeneration(ReplaceUnderscores.class)
class ProgressTest {
  private static final String ERASED = "\r\u001b[K";

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private Progress at(int columns) {
    return new Progress(
        new PrintStream(err, true, UTF_8), new Terminal(columns, false, true, false), "runs", 10);
  }

  @Test
  void makes_room_for_what_is_told_meanwhile() {
    try (Progress progress = at(0)) {
      progress.done(1);
      progress.tell("runlane: run a: no");
    }

    assertThat(err.toString(UTF_8)).endsWith("\u001b[K" + ERASED + "runlane: run a: no\n");
  }

  @Test
  void is_cut_to_the_width_of_the_terminal() {
    try (Progress progress = at(20)) {
      progress.done(1);
    }

    assertThat(err.toString(UTF_8)).isEqualTo("\r[##---------------…\u001b[K" + ERASED);
  }
}
