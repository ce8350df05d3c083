package dev.runlane.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class ScreenTest {
  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

  private Screen screen(boolean live) {
    return new Screen(new PrintStream(shown, true, StandardCharsets.UTF_8), live);
  }

  private void talk(Screen screen) {
    screen.progress("open 2");
    screen.progress("open 2");
    screen.progress("open 1");
    screen.say("done");
  }

  @Test
  void a_terminal_has_one_line_of_progress_that_never_becomes_two() {
    talk(screen(true));

    assertThat(shown.toString(StandardCharsets.UTF_8))
        .isEqualTo(
            "\r\u001b[K\u001b[?7lopen 2\u001b[?7h\r\u001b[K\u001b[?7lopen 1\u001b[?7h\r\u001b[Kdone\n");
  }

  @Test
  void elsewhere_each_change_is_a_line() {
    talk(screen(false));

    assertThat(shown.toString(StandardCharsets.UTF_8)).isEqualTo("open 2\nopen 1\ndone\n");
  }
}
