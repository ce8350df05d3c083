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
    return printed(table, columns);
  }

  private static String printed(Table table, int columns) {
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
  void leaves_out_what_can_be_spared_before_names_become_too_short_to_read() {
    String wide =
        "RUN                             TASK                       QUEUE    STATUS       AGE  NOTE\n"
            + "run_01m84xzyaxwe6637nv8838ye4k  invoices.reminder.monthly  default  succeeded  3m 5s  the printer is on fire\n";

    assertThat(runs(0)).isEqualTo(wide);
    assertThat(runs(120)).isEqualTo(wide);
    assertThat(runs(80)).isEqualTo("""
        RUN                             TASK            STATUS       AGE  NOTE
        run_01m84xzyaxwe6637nv8838ye4k  invoices.remi…  succeeded  3m 5s  the printer i…
        """);
    assertThat(runs(60)).isEqualTo("""
        RUN                             TASK               STATUS
        run_01m84xzyaxwe6637nv8838ye4k  invoices.reminde…  succeeded
        """);
    assertThat(runs(40)).startsWith("""
        RUN                             TASK    STATUS
        """);
  }

  private static String runs(int columns) {
    Table table = new Table(
        Column.whole("RUN"),
        Column.shrinking("TASK"),
        Column.shrinking("QUEUE").spare(1),
        Column.whole("STATUS"),
        Column.number("AGE").spare(3),
        Column.shrinking("NOTE").spare(2));
    table.add(
        Cell.of("run_01m84xzyaxwe6637nv8838ye4k"),
        Cell.of("invoices.reminder.monthly"),
        Cell.of("default"),
        Cell.of("succeeded"),
        Cell.of("3m 5s"),
        Cell.of("the printer is on fire"));
    return printed(table, columns);
  }

  @Test
  void cuts_a_wide_character_whole() {
    assertThat(printed(9, "注文注文注文")).isEqualTo("TASK    N\n注文…   1\n");
  }
}
