package dev.runlane.console.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayNameGeneration(ReplaceUnderscores.class)
class CsvTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "  =1",
        " @A1",
        "\uff1d1",
        "\uff201"
      })
  void what_a_spreadsheet_would_compute_is_text(String text) {
    assertThat(Csv.cell(TextNode.valueOf(text))).isEqualTo("\"'" + text + '"');
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "run_1", "anna@example.com", "1=1", " a", "a-b"})
  void other_text_is_as_it_is(String text) {
    assertThat(Csv.cell(TextNode.valueOf(text))).isEqualTo('"' + text + '"');
  }
}
