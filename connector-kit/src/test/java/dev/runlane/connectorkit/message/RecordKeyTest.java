package dev.runlane.connectorkit.message;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;

@DisplayName("the key of a record")
@DisplayNameGeneration(ReplaceUnderscores.class)
class RecordKeyTest {
  @Test
  void of_several_parts_is_spelt_as_the_runtime_spells_it() {
    assertThat(RecordKey.of("a", "\u001f\u007f\u00fc/\"\\\b\f\n\r\t").canonical())
        .isEqualTo("[\"a\",\"\\u001f\u007f\u00fc/\\\"\\\\\\b\\f\\n\\r\\t\"]");
  }

  @Test
  void of_one_part_is_that_part() {
    assertThat(RecordKey.of("\u001f\"").canonical()).isEqualTo("\u001f\"");
  }
}
