package dev.runlane.cli.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.run.Json;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayNameGeneration(ReplaceUnderscores.class)
class TerminalAnswersTest {
  @Test
  void a_question_steers_no_terminal_and_stays_in_its_line() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    BlockingQueue<Optional<Json>> answers = new LinkedBlockingQueue<>();
    try (TerminalAnswers asking = new TerminalAnswers(
        new PrintStream(printed, true, UTF_8),
        new BufferedReader(new StringReader("7491\n")),
        null,
        (id, answer) -> answers.add(answer))) {
      asking.ask(new Question("q1", "Code?\n\u001b[2J \u009b1A \u202e", List.of("co\u001b[2Jde")));

      assertThat(answers.poll(30, TimeUnit.SECONDS)).isNotNull();
    }
    String text = printed.toString(UTF_8);
    assertThat(text.lines().findFirst())
        .hasValueSatisfying(line -> assertThat(line).startsWith("The connector asks: Code? "));
    assertThat(text.replace(System.lineSeparator(), "")).doesNotContainPattern("[\\p{Cc}\\p{Cf}]");
  }
}
