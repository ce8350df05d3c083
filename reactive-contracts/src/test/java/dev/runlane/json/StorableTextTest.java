package dev.runlane.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runlane.run.RunlaneException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which text can be stored, and what becomes of text that cannot. */
@DisplayNameGeneration(ReplaceUnderscores.class)
class StorableTextTest {
  @ParameterizedTest
  @ValueSource(strings = {"", " ", "gr\u00fc\u00dfe", "\ud83d\ude80", "\u0001\n:", "\uffff"})
  void most_text_can_be_stored(String text) {
    assertThatCode(() -> StorableText.require("reason", text)).doesNotThrowAnyException();
    assertThat(StorableText.repaired(text)).isSameAs(text);
    assertThat(StorableText.isStorable(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\0", "a\0", "\ud83d", "\ude80", "\ude80\ud83d", "\ud83d\ud83d\ude80", "\ud83da"})
  void nul_and_half_pairs_cannot(String text) {
    assertThat(StorableText.isStorable(text)).isFalse();
    assertThatThrownBy(() -> StorableText.require("reason", text))
        .isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> StorableText.require("trace", Map.of("name", text)))
        .isInstanceOf(RunlaneException.class);
    assertThatThrownBy(() -> StorableText.require("trace", Map.of(text, "value")))
        .isInstanceOf(RunlaneException.class);
  }

  @Test
  void nothing_at_all_can_be_stored() {
    assertThatCode(() -> StorableText.require("reason", (String) null)).doesNotThrowAnyException();
    assertThatCode(() -> StorableText.require("trace", (Map<String, String>) null))
        .doesNotThrowAnyException();
    assertThatCode(() -> StorableText.require("trace", new HashMap<>(Map.of("a", "b"))))
        .doesNotThrowAnyException();
  }

  @Test
  void a_repair_keeps_everything_else() {
    assertThat(StorableText.repaired("a\0b\ud83d \ud83d\ude80\ude80\0"))
        .isEqualTo("a\ufffdb\ufffd \ud83d\ude80\ufffd\ufffd");
  }

  /** Looking for the next half of a pair to the text's end at each NUL would take days. */
  @Test
  @Timeout(120)
  void a_text_of_faults_alone_is_repaired_in_one_pass() {
    assertThat(StorableText.repaired("\0".repeat(16 << 20))).isEqualTo("\ufffd".repeat(16 << 20));
  }
}
