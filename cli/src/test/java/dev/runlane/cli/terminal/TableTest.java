package dev.runlane.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runlane.cli.terminal.Table.Cell;
import dev.runlane.cli.terminal.Table.Column;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("a table")
@DisplayNameGeneration(ReplaceUnderscores.class)
class TableTest {
  private static String printed(int columns, String... texts) {
    Table table = new Table(Column.shrinking("TASK"), Column.whole("N"));
    for (String text : texts) {
      table.add(Cell.of(text), Cell.of("1"));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    table.print(new PrintStream(out, true, UTF_8), new Terminal(columns, false, false, false));
    return out.toString(UTF_8);
  }

  @Test
  void counts_two_columns_for_wide_characters_and_none_for_marks() {
    assertThat(printed(0, "注文", "abcd", "e\u0301tes", "🚚ab"))
        .isEqualTo("TASK  N\n注文  1\nabcd  1\ne\u0301tes  1\n🚚ab  1\n");
  }

  @Test
  void cuts_a_wide_character_whole() {
    assertThat(printed(9, "注文注文注文")).isEqualTo("TASK    N\n注文…   1\n");
  }
}
